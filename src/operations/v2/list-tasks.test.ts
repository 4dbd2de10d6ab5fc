import { expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { ParsedRequest } from '../operation.ts';
import { listTasks } from './tasks.ts';

/** Returns the bounds of the creation time that a list of tasks uses, in milliseconds since the epoch. */
async function bounds(text: string): Promise<unknown> {
  const query = { after: text, before: text, pageNumber: 1, pageSize: 10 };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation reads only the query
  const request = { query } as unknown as ParsedRequest;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation reads only the rules
  const context = { rules: defaultRules } as unknown as RequestContext;
  return listTasks.decide(request, context);
}

it.each([
  ['2026-11-01T09:00:00Z', '2026-11-01T09:00:00Z'],
  ['2026-11-01t09:00:00z', '2026-11-01T09:00:00Z'],
  ['2026-11-01 09:00:00Z', '2026-11-01T09:00:00Z'],
  ['2026-11-01T09:00:00', '2026-11-01T09:00:00Z'],
  ['2026-11-01 09:00:00.25', '2026-11-01T09:00:00.250Z'],
  ['2026-11-01T09:00:00-05', '2026-11-01T14:00:00Z'],
  ['2026-11-01T09:00:00+02', '2026-11-01T07:00:00Z'],
  ['2026-11-01 09:00:00.5+02', '2026-11-01T07:00:00.500Z'],
  ['2026-11-01T09:00:00+0530', '2026-11-01T03:30:00Z'],
  ['2026-11-01t09:00:00-05:30', '2026-11-01T14:30:00Z'],
  ['2026-12-31 18:59:60-05', '2026-12-31T23:59:59Z'],
])('reads the bound %s as %s', async (text, wanted) => {
  const time = Date.parse(wanted);
  expect(await bounds(text)).toMatchObject({ filter: { after: time, before: time } });
});
