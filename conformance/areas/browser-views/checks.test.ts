import { expect, it } from 'vitest';
import type { CheckContext } from '../../core/check.ts';
import type { JsonObject } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { browserFilterChecks } from './checks.ts';

/** Returns the verdict of BROWSER-VIEW-18 on two browsers with these members in each of their records. */
async function judgeCosts(active: JsonObject, later: JsonObject): Promise<'pass' | 'violation' | 'not testable'> {
  const judged: boolean[] = [];
  const lived = { startedAt: '2026-01-02T03:04:05Z', finishedAt: '2026-01-02T03:04:35Z' };
  const browser = { request: {}, active: { json: active }, later: { json: { ...lived, ...later } } };
  const context = {
    recording: async () => ({ labelled: browser, plain: browser }),
    expect: (holds: boolean) => void judged.push(holds),
    notTestable: (reason: string) => {
      throw new NotTestable(reason);
    },
  };
  try {
    const check = browserFilterChecks.find(({ id }) => id === 'BROWSER-VIEW-18');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check uses only these members of a context
    await check?.judge(context as unknown as CheckContext);
  } catch (error) {
    if (!(error instanceof NotTestable)) throw error;
    return judged.includes(false) ? 'violation' : 'not testable';
  }
  return judged.every(Boolean) ? 'pass' : 'violation';
}

const shown = { browserCost: '0.02' };
const less = { browserCost: '0.001' };

it.each([
  { name: 'that show costs', active: shown, later: less, verdict: 'pass' },
  { name: 'that cost nothing while they are active', active: { browserCost: '0' }, later: less, verdict: 'violation' },
  { name: 'that show no cost at all', active: {}, later: {}, verdict: 'not testable' },
  { name: 'that show no cost after their stop', active: shown, later: {}, verdict: 'not testable' },
  { name: 'that show a cost only after their stop', active: {}, later: less, verdict: 'pass' },
])('BROWSER-VIEW-18 judges browsers $name', async ({ active, later, verdict }) => {
  expect(await judgeCosts(active, later)).toBe(verdict);
});
