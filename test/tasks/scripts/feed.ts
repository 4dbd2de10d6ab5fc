import type { Hand, Script, Wish } from '../hand.ts';

const scrollsMax = 30;

/**
 * Scrolls until the feed contains a text that matches, and returns the match. Throws if the end of the feed or the
 * maximum number of scrolls is reached before.
 */
function* scrollTo(hand: Hand, wanted: RegExp): Generator<Wish, string, void> {
  for (let scrolls = 0; scrolls < scrollsMax && !wanted.test(hand.seen); scrolls += 1) {
    if (/first sighting of all/.test(hand.seen)) break;
    yield* hand.use('scroll', { direction: 'down', pages: 100 });
    yield* hand.use('wait', { seconds: 1 });
  }
  return hand.read(wanted);
}

/** Scripts for the tasks of the feed. */
export const feedScripts: Readonly<Record<string, Script>> = {
  *'feed-like'(hand, origin) {
    yield* hand.open(origin);
    yield* scrollTo(hand, /bitterns/);
    yield* hand.click('button', 'Like', 'bitterns');
    return { text: hand.read(/Liked/) };
  },
  *'feed-first'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.use('wait_for_text', { text: 'Follow' });
    const author = hand.read(/strong \[ref=\w+\]: (.+)/);
    return { text: `${author} wrote it, about this: ${hand.read(/paragraph \[ref=\w+\]: "?(.+)/)}` };
  },
  *'feed-follow'(hand, origin) {
    yield* hand.open(origin);
    yield* scrollTo(hand, /Mei Tanaka/);
    yield* hand.click('button', 'Follow', 'Mei Tanaka');
    return { text: hand.read(/Following/) };
  },
  *'feed-kingfisher'(hand, origin) {
    yield* hand.open(origin);
    yield* scrollTo(hand, /a kingfisher, blue/);
    const who = hand.readAll(/strong \[ref=\w+\]: (.+)\n(?:.*\n){1,4}?.*a kingfisher, blue/g)[0]?.[0];
    return { text: `It was ${who}.`, output: { who, place: hand.read(/blue as anything, at ([^."]+)/) } };
  },
  *'feed-oldest'(hand, origin) {
    yield* hand.open(origin);
    yield* scrollTo(hand, /first sighting of all/);
    const who = hand.readAll(/strong \[ref=\w+\]: (.+)/g).at(-1)?.[0];
    const bird = hand.readAll(/paragraph \[ref=\w+\]: "?A (\w+)/g).at(-1)?.[0];
    return { text: `It was ${who}.`, output: { bird, who } };
  },
};
