import type { Doing, Hand, Script } from '../hand.ts';

function* fetchDocument(hand: Hand, origin: string, title: string): Doing {
  yield* hand.open(`${origin}/documents`);
  yield* hand.use('download', { ref: hand.ref('link', `Download ${title}`) });
}

function* handIn(hand: Hand, origin: string, [path, title]: readonly [string, string]): Doing {
  yield* hand.open(`${origin}/hand-in`);
  yield* hand.type('textbox', 'Title', title);
  yield* hand.use('upload', { ref: hand.ref('button', /File/), path });
  yield* hand.click('button', 'Hand in');
}

/** Scripts for the tasks of the documents. */
export const filesScripts: Readonly<Record<string, Script>> = {
  *'files-invoice'(hand, origin) {
    yield* fetchDocument(hand, origin, 'Invoice March 2026');
    return { text: hand.read(/invoice-03\.txt/) };
  },
  *'files-upload'(hand, origin) {
    yield* handIn(hand, origin, ['report.txt', 'Quarterly report']);
    return { text: `The receipt has the number ${hand.read(/R-\d+/)}.` };
  },
  *'files-price'(hand, origin) {
    yield* fetchDocument(hand, origin, 'Price list 2026');
    yield* hand.use('read_file', { path: hand.read(/^\S*prices-2026\.csv$/m) });
    const price = Number(hand.read(/B-17;(\d+\.\d\d)/));
    return { text: `It costs ${price}.`, output: { price } };
  },
  *'files-latest-invoice'(hand, origin) {
    yield* fetchDocument(hand, origin, 'Invoice May 2026');
    yield* hand.use('read_file', { path: hand.read(/^\S*invoice-05\.txt$/m) });
    const amount = Number(hand.read(/Amount due: EUR (\d+\.\d\d)/));
    return { text: `It is about ${amount}.`, output: { amount } };
  },
  *'files-program'(hand, origin) {
    yield* handIn(hand, origin, ['tool.exe', 'Tool']);
    return { text: `The receipt has the number ${hand.read(/R-\d+/)}.` };
  },
};
