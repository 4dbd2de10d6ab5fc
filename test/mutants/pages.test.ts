import { describe, expect, it } from 'vitest';
import { isJsonObject } from '#lib/json.ts';
import { describeMutants } from './describe-mutants.ts';
import type { Tamper } from './mutant.ts';
import { at, rows } from './operation-tampers.ts';
import { judge } from './run-mutant.ts';
import { pageMutants } from './table/pages.ts';

describeMutants('servers whose pages are wrong', pageMutants);

let ticks = 0;

/** Lists and records that are legal although the documents do not describe them. */
const legal: readonly { name: string; only: string[]; tamper: Tamper }[] = [
  {
    name: 'pages that run backwards, each of them',
    only: ['PAGES-01', 'PAGES-02', 'PAGES-03', 'PAGES-04', 'PAGES-05'],
    tamper: rows(at('GET', '/api/v3/profiles'), 'items', (items) => items.toReversed()),
  },
  {
    name: 'a member that no document has and that differs in every answer',
    only: ['KEYS-01', 'KEYS-02', 'KEYS-03', 'KEYS-04', 'KEYS-05'],
    tamper: {
      answer: (_seen, { body }) => {
        ticks += 1;
        return isJsonObject(body) ? { body: { ...body, served: ticks } } : undefined;
      },
    },
  },
  {
    name: 'another project that is refused with 403 wherever an id is unknown',
    only: ['KEYS-01', 'KEYS-02', 'KEYS-03', 'KEYS-04', 'KEYS-05'],
    tamper: { answer: (_seen, { status }) => (status === 404 ? { status: 403 } : undefined) },
  },
];

describe('no fault is found with', () => {
  it.each(legal)('$name', async ({ only, tamper }) => {
    const { report, errors } = await judge({ server: 'reference', only, tamper });
    expect(errors).toEqual([]);
    expect(report.requirements.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id)).toEqual([]);
  });
});
