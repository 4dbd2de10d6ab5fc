import type { Doing, Hand, Script, Wish } from '../hand.ts';

function* buy(hand: Hand, origin: string, [asked, name]: readonly [string, string]): Doing {
  yield* hand.open(origin);
  yield* hand.type('searchbox', /looking for/, asked);
  yield* hand.click('button', 'Search');
  yield* hand.click('link', name);
  yield* hand.click('button', 'Add to basket');
}

type Address = readonly [name: string, street: string, postcode: string, town: string, email: string];

function* checkOut(hand: Hand, [name, street, postcode, town, email]: Address, delivery: RegExp): Doing {
  yield* hand.click('link', /^Basket/);
  yield* hand.click('link', 'Go to checkout');
  yield* hand.type('textbox', 'Full name', name);
  yield* hand.type('textbox', 'Street and house number', street);
  yield* hand.type('textbox', 'Postcode', postcode);
  yield* hand.type('textbox', 'Town', town);
  yield* hand.type('textbox', 'Email', email);
  yield* hand.click('button', 'Continue');
  yield* hand.check('radio', delivery);
  yield* hand.click('button', 'Continue');
}

function* order(hand: Hand): Generator<Wish, string, void> {
  yield* hand.click('button', 'Place order');
  return hand.read(/HK-\d+/);
}

/** Scripts for the tasks of the shop. */
export const shopScripts: Readonly<Record<string, Script>> = {
  *'shop-two-teapots'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.type('searchbox', /looking for/, 'teapot');
    yield* hand.click('button', 'Search');
    yield* hand.click('link', 'Stoneware Teapot');
    yield* hand.type('spinbutton', 'Quantity', '2');
    yield* hand.click('button', 'Add to basket');
    return { text: hand.read(/Stoneware Teapot is in your basket/) };
  },
  *'shop-order-board'(hand, origin) {
    yield* buy(hand, origin, ['chopping board', 'Oak Chopping Board']);
    const address = ['Maria Lindqvist', 'Hafenweg 12', '20457', 'Hamburg', 'maria@example.test'] as const;
    yield* checkOut(hand, address, /^Standard/);
    return { text: `Ordered: ${yield* order(hand)}` };
  },
  *'shop-grand-total'(hand, origin) {
    yield* buy(hand, origin, ['saucepan', 'Copper Saucepan']);
    yield* buy(hand, origin, ['apron', 'Linen Apron']);
    yield* checkOut(hand, ['A. Nyone', 'Any street 1', '12345', 'Anytown', 'any@example.test'], /^Express/);
    return { text: `The grand total is ${hand.row('Grand total')[1]}.` };
  },
  *'shop-voucher'(hand, origin) {
    yield* buy(hand, origin, ['pan', 'Cast Iron Pan']);
    yield* hand.click('link', /^Basket/);
    yield* hand.type('textbox', 'Voucher code', 'SPRING10');
    yield* hand.click('button', 'Apply');
    return { text: `The basket comes to ${hand.row('Basket total')[2]}.` };
  },
  *'shop-cheapest-mug'(hand, origin) {
    yield* hand.open(origin);
    yield* hand.click('link', 'Mugs & cups');
    const prices = new Map<string, number>();
    for (;;) {
      for (const [name = '', price] of hand.readAll(/link "([^"]+)"[^\n]*\n\s*- \/url: \/product[^€]*€(\d+\.\d\d)/g)) {
        prices.set(name, Number(price));
      }
      if (!hand.has('link', 'Next')) break;
      yield* hand.click('link', 'Next');
    }
    const [name, price] = [...prices].toSorted(([, left], [, right]) => left - right)[0] ?? [];
    return { text: `The cheapest mug is ${name}.`, output: { name, price } };
  },
  *'shop-present'(hand, origin) {
    yield* buy(hand, origin, ['proving basket', 'Proving Basket, oval']);
    yield* checkOut(hand, ['Tom Hale', '3 Mill Lane', 'EX4 2AB', 'Exeter', 'tom.hale@example.test'], /^Standard/);
    return { text: `Ordered: ${yield* order(hand)}` };
  },
  *'shop-sold-out'(hand, origin) {
    yield* buy(hand, origin, ['rolling pin', 'Marble Rolling Pin']);
    throw new Error('bought a product that the script expects to be sold out');
  },
};
