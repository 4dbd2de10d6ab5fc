import type { Script } from '../hand.ts';

/** Scripts for the tasks of the wiki. */
export const wikiScripts: Readonly<Record<string, Script>> = {
  *'wiki-kolsch'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.type('textbox', 'Search Brewpedia', 'Kölsch');
    yield* hand.click('button', 'Go');
    yield* hand.click('link', 'Kölsch');
    return { text: `The original gravity is ${hand.row('Original gravity')[1]}.` };
  },
  *'wiki-typo'(hand, origin) {
    yield* hand.open(`${origin}/article/mashing`);
    yield* hand.click('link', 'Edit');
    yield* hand.use('extract', { ref: hand.ref('textbox', 'Text of the article') });
    const text = hand.read(/(In mashing[\s\S]*?cannot be helped\.)/).replace('temperture', 'temperature');
    yield* hand.type('textbox', 'Text of the article', text);
    yield* hand.type('textbox', 'Summary', 'typo');
    yield* hand.click('button', 'Save page');
    return { text: hand.read(/certain temperature/) };
  },
  *'wiki-history'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', 'Hops');
    yield* hand.click('link', 'History');
    while (hand.has('link', 'Next')) yield* hand.click('link', 'Next');
    return { text: `The first edit was made by ${hand.rows().at(-1)?.[0]}.` };
  },
  *'wiki-porter'(hand, origin) {
    yield* hand.open(`${origin}/search?q=porter`);
    yield* hand.click('link', 'Baltic porter');
    const range = hand.readAll(/fermented at (\d+) to (\d+) °C/g)[0] ?? [];
    const [lowest, highest] = range.map(Number);
    return { text: `At ${lowest} to ${highest} °C.`, output: { lowest, highest } };
  },
  *'wiki-oldest'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', 'List of breweries');
    const rows = hand.rows().filter(([, , year]) => /^\d+$/.test(year ?? ''));
    const [brewery, , year] = rows.toSorted(([, , left], [, , right]) => Number(left) - Number(right))[0] ?? [];
    return { text: `It is ${brewery}.`, output: { brewery, year: Number(year) } };
  },
  *'wiki-protected'(hand, origin) {
    yield* hand.open(`${origin}/article/purity-law`);
    yield* hand.click('link', 'Edit');
    return { text: 'Saved.' };
  },
};
