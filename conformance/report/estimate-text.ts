import type { Estimate } from '../core/report.ts';

/** What a run is expected to cost, for people; ends with a line break. */
export function renderEstimate(estimate: Estimate): string {
  const { dispatches, browsers, storage, expectedUsd, atMostUsd, limitUsd, notes } = estimate;
  const made = [
    count(dispatches, 'task dispatched', 'tasks dispatched'),
    count(browsers, 'browser started', 'browsers started'),
    ...(storage ? ['profiles, workspaces and small files made and removed'] : []),
  ].filter((part) => part !== '');
  const typical = expectedUsd === null ? '' : `about ${expectedUsd}, `;
  const limit = limitUsd === null ? 'no limit (--max-cost-usd)' : `limit ${limitUsd}`;
  return [
    `Estimate: ${made.length === 0 ? 'nothing is made on purpose' : `at most ${made.join(', ')}`}.`,
    `Cost: ${typical}at most ${atMostUsd} US dollars; ${limit}.`,
    ...notes.map((note) => `  note: ${note}`),
    '',
  ].join('\n');
}

function count(number: number, one: string, many: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many}`;
}
