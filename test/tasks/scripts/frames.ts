import type { Script } from '../hand.ts';

/** Scripts for the tasks of the ferry company. */
export const framesScripts: Readonly<Record<string, Script>> = {
  *'frames-sailing'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.select('Route', 'Harwich - Hook of Holland');
    yield* hand.click('button', 'Show sailings');
    yield* hand.click('button', 'Reserve 21:00');
    return { text: hand.read(/Reserved: 21:00[^"\n]*/) };
  },
  *'frames-newsletter'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.type('textbox', 'Email address', 'sea@example.test');
    yield* hand.click('button', 'Subscribe');
    return { text: hand.read(/you are on the list/) };
  },
  *'frames-gift-card'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.type('textbox', 'Card number', 'FERRY-2026');
    yield* hand.click('button', 'Check balance');
    const balance = Number(hand.read(/Balance: €(\d+\.\d\d)/));
    return { text: `There are €${balance} left.`, output: { balance } };
  },
  *'frames-family'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.select('Route', 'Harwich - Hook of Holland');
    yield* hand.click('button', 'Show sailings');
    yield* hand.click('link', 'Later sailings');
    yield* hand.type('spinbutton', 'People', '4');
    const last = hand.readAll(/button "Reserve (\d\d:\d\d)"/g).at(-1)?.[0] ?? '';
    yield* hand.click('button', `Reserve ${last}`);
    return { text: hand.read(/Reserved: [^"\n]*/) };
  },
};
