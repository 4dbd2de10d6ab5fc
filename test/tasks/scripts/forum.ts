import type { Script } from '../hand.ts';

/** Scripts for the tasks of the forum. */
export const forumScripts: Readonly<Record<string, Script>> = {
  *'forum-reply'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', 'Vegetables');
    yield* hand.click('link', 'Tomatoes splitting after rain');
    yield* hand.type('textbox', 'Your name', 'Petra');
    yield* hand.type('textbox', 'Message', 'Water them evenly and pick them early.');
    yield* hand.click('button', 'Post reply');
    return { text: `Posted: ${hand.read(/Water them evenly and pick them early/)}` };
  },
  *'forum-new-thread'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', 'Tools');
    yield* hand.click('link', 'New thread');
    yield* hand.type('textbox', 'Title', 'Which secateurs for small hands?');
    yield* hand.type('textbox', 'Your name', 'Ines');
    yield* hand.type('textbox', 'Text', 'The usual ones are too wide for me. What do you use?');
    yield* hand.click('button', 'Publish');
    return { text: `It is at ${hand.read(/Address: (\S+)/)}` };
  },
  *'forum-second-page'(hand, origin) {
    yield* hand.open(`${origin}/board/vegetables`);
    yield* hand.click('link', 'Next');
    return { text: `It has ${hand.row('Slugs in the raised bed')[1]} replies.` };
  },
  *'forum-last-reply'(hand, origin) {
    yield* hand.open(`${origin}/board/vegetables`);
    yield* hand.click('link', 'Next');
    yield* hand.click('link', 'Slugs in the raised bed');
    while (hand.has('link', 'Next')) yield* hand.click('link', 'Next');
    const posts = hand.readAll(/strong \[ref=\w+\]: ([A-Z]\w+)[\s\S]*?paragraph \[ref=\w+\]: "?([^"\n]+)/g);
    const [author, recommendation] = posts.at(-1) ?? [];
    return { text: `${author} wrote last.`, output: { author, recommendation } };
  },
  *'forum-thanks'(hand, origin) {
    yield* hand.open(`${origin}/thread/slugs`);
    while (!/Nematodes, from the shop/.test(hand.seen)) yield* hand.click('link', 'Next');
    yield* hand.click('button', 'Thanks', 'Nematodes, from the shop');
    return { text: 'Wilhelmina has been thanked.' };
  },
  *'forum-delete'(hand, origin) {
    yield* hand.open(`${origin}/board/compost`);
    yield* hand.click('link', 'Compost heap smells');
    yield* hand.click('button', /delete/i);
    return { text: 'Deleted.' };
  },
};
