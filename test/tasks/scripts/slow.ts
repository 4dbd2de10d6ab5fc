import type { Doing, Hand, Script } from '../hand.ts';

const triesMax = 4;

/** Opens a URL. Opens the URL again while the page shows an error 500, at most `triesMax` times in total. */
function* openPatiently(hand: Hand, address: string): Doing {
  yield* hand.open(address);
  for (let tries = 1; tries < triesMax && /500 Internal error/.test(hand.seen); tries += 1) yield* hand.open(address);
}

function readBoxes(hand: Hand, what: string): number {
  return Number.parseInt(hand.row(what)[1] ?? '', 10);
}

/** Scripts for the tasks of the old service. */
export const slowScripts: Readonly<Record<string, Script>> = {
  *'slow-report'(hand, origin) {
    yield* hand.open(`${origin}/report`);
    return { text: `June: ${hand.row('June')[1]}` };
  },
  *'slow-second-try'(hand, origin) {
    yield* openPatiently(hand, `${origin}/stock`);
    return { text: `They have ${readBoxes(hand, 'Bolts M8')} boxes.` };
  },
  *'slow-moved'(hand, origin) {
    yield* hand.open(`${origin}/old-address`);
    return { text: hand.read(/heading "([^"]+)"/) };
  },
  *'slow-leeds'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', 'Depots');
    yield* hand.click('link', 'Leeds');
    if (/500 Internal error/.test(hand.seen)) yield* openPatiently(hand, `${origin}/depots/leeds`);
    yield* hand.use('wait_for_text', { text: 'Saturday' });
    const closes = hand.row('Saturday')[1]?.split(' - ')[1];
    return { text: `It closes at ${closes}.`, output: { closes } };
  },
  *'slow-bolts'(hand, origin) {
    yield* openPatiently(hand, `${origin}/stock`);
    const boxes = readBoxes(hand, 'Bolts M8') + readBoxes(hand, 'Bolts M10');
    return { text: `There are ${boxes}.`, output: { boxes } };
  },
  *'slow-never'(hand, origin) {
    yield* openPatiently(hand, `${origin}/archive`);
    return { text: `The newest entry: ${hand.read(/entry (\d+)/)}` };
  },
};
