import type { Doing, Hand, Script, Wish } from '../hand.ts';

interface Home {
  readonly kind: 'House' | 'Flat';
  readonly area: string;
  readonly built: string;
}

function* describe(hand: Hand, origin: string, { kind, area, built }: Home): Doing {
  yield* hand.open(origin);
  yield* hand.click('link', 'Start your quote');
  yield* hand.check('radio', kind);
  yield* hand.click('button', 'Continue');
  yield* hand.type('spinbutton', /Floor area/, area);
  yield* hand.type('spinbutton', /Year/, built);
  yield* hand.click('button', 'Continue');
}

function* choose(hand: Hand, cover: RegExp, claims: string): Doing {
  yield* hand.check('radio', cover);
  yield* hand.click('button', 'Continue');
  yield* hand.select(/Claims/, claims);
  yield* hand.click('button', 'Continue');
}

function* readPrice(hand: Hand, cover: RegExp, claims: string): Generator<Wish, number, void> {
  yield* choose(hand, cover, claims);
  return Number(hand.read(/€(\d+\.\d\d)/));
}

/** Scripts for the tasks of the quote. */
export const wizardScripts: Readonly<Record<string, Script>> = {
  *'wizard-quote'(hand, origin) {
    yield* describe(hand, origin, { kind: 'House', area: '140', built: '1972' });
    yield* hand.check('checkbox', 'Glass breakage');
    yield* choose(hand, /^Comfort/, '1');
    const premium = hand.read(/€(\d+\.\d\d)/);
    yield* hand.click('button', 'Request this quote');
    hand.read(/Thank you/);
    return { text: `The monthly premium is €${premium}.` };
  },
  *'wizard-back'(hand, origin) {
    yield* describe(hand, origin, { kind: 'Flat', area: '70', built: '1998' });
    yield* hand.click('link', 'Back');
    yield* hand.type('spinbutton', /Floor area/, '75');
    yield* hand.click('button', 'Continue');
    yield* choose(hand, /^Basic/, '0');
    yield* hand.click('button', 'Request this quote');
    return { text: hand.read(/Thank you/) };
  },
  *'wizard-only-look'(hand, origin) {
    yield* describe(hand, origin, { kind: 'Flat', area: '55', built: '2015' });
    const price = yield* readPrice(hand, /^Premium/, '0');
    return { text: `It costs €${price.toFixed(2)} a month.` };
  },
  *'wizard-compare'(hand, origin) {
    yield* describe(hand, origin, { kind: 'House', area: '120', built: '1990' });
    const comfort = yield* readPrice(hand, /^Comfort/, '2');
    yield* hand.click('link', 'Back');
    yield* hand.click('link', 'Back');
    const basic = yield* readPrice(hand, /^Basic/, '2');
    return { text: 'Basic is cheaper.', output: { saving: Math.round((comfort - basic) * 100) / 100 } };
  },
};
