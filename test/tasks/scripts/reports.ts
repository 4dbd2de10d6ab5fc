import type { Hand, Script, Wish } from '../hand.ts';

/** Returns the rows of the table on all pages. Clicks "Next" to open the next page until this button is disabled. */
function* allRows(hand: Hand): Generator<Wish, string[][], void> {
  const rows = hand.rows();
  while (!/button "Next" \[disabled\]/.test(hand.seen)) {
    yield* hand.click('button', 'Next');
    rows.push(...hand.rows());
  }
  return rows;
}

/** Scripts for the tasks of the reports. */
export const reportsScripts: Readonly<Record<string, Script>> = {
  *'reports-heaviest'(hand, origin) {
    yield* hand.open(`${origin}/shipments`);
    yield* hand.use('wait_for_text', { text: 'NF-2001' });
    yield* hand.click('button', 'Weight');
    yield* hand.click('button', 'Weight');
    return { text: `The heaviest one is ${hand.read(/NF-\d+/)}.` };
  },
  *'reports-delayed-north'(hand, origin) {
    yield* hand.open(`${origin}/shipments`);
    yield* hand.select('Region', 'North');
    yield* hand.select('Status', 'Delayed');
    return { text: `It shows ${hand.read(/Showing (\d+) of/)} shipments.` };
  },
  *'reports-csv'(hand, origin) {
    yield* hand.open(`${origin}/shipments`);
    yield* hand.select('Region', 'South');
    yield* hand.use('download', { ref: hand.ref('link', 'Download CSV') });
    return { text: `Downloaded ${hand.read(/shipments\.csv/)}.` };
  },
  *'reports-worst-carrier'(hand, origin) {
    yield* hand.open(`${origin}/shipments`);
    yield* hand.use('wait_for_text', { text: 'NF-2001' });
    const counts = new Map<string, number>();
    for (const [, , , carrier = '', status] of yield* allRows(hand)) {
      if (status === 'Delayed') counts.set(carrier, (counts.get(carrier) ?? 0) + 1);
    }
    const [carrier, delayed] = [...counts].toSorted(([, left], [, right]) => right - left)[0] ?? [];
    return { text: `It is ${carrier}.`, output: { carrier, delayed } };
  },
  *'reports-oslo'(hand, origin) {
    yield* hand.open(`${origin}/shipments`);
    yield* hand.use('wait_for_text', { text: 'NF-2001' });
    const rows = yield* allRows(hand);
    const references = rows.filter(([, town]) => town === 'Oslo').map(([reference]) => reference);
    return { text: `There are ${references.length}.`, output: { references } };
  },
};
