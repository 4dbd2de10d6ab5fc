import { expect, it } from 'vitest';
import type { LedgerEntry } from '../core/ledger.ts';
import { parseTarget } from '../core/parse-target.ts';
import { listLeftEntries } from './left-entries.ts';

const target = parseTarget({ url: 'http://127.0.0.1:1', text: '' });
const live = { kind: 'run', generation: 'v4', createdBy: 'createRun', state: 'live' } as const;

it('lists a resource once when the target answered several creations with its id', () => {
  const entries: LedgerEntry[] = [
    { ...live, id: 'a' },
    { ...live, id: 'b' },
    { ...live, id: 'a' },
  ];
  expect(listLeftEntries(entries, target, new Map()).map(({ id }) => id)).toEqual(['a', 'b']);
});

it('lists every resource whose id never arrived', () => {
  const lost: LedgerEntry = { ...live, state: 'requested' };
  expect(listLeftEntries([lost, { ...lost }], target, new Map())).toHaveLength(2);
});
