import type { Held } from './measure-held.ts';

const mebibyte = 1024 * 1024;
/** Difference of the heap between two measurements at rest that does not count as growth. */
const heapSlack = 8 * mebibyte;
const heapRatio = 1.15;
const residentSlack = 48 * mebibyte;
const residentRatio = 1.25;
const countSlack = 4;

/** Tables that keep records of deleted resources and accounts, and grow by design. */
const kept = new Set(['sessions', 'runs', 'browsers', 'workspaces', 'projects', 'api_keys', 'provider_keys']);

/** Returns what has grown between two measurements at rest, one sentence each. */
export function judgeGrowth(warm: Held, last: Held): string[] {
  const requests = `${last.after - warm.after} requests`;
  const faults: string[] = [];
  const compare = (name: string, [before, now]: readonly [number, number], most: number): void => {
    if (!(now <= most)) faults.push(`${name} grew from ${before} to ${now} in ${requests}`);
  };
  compare(
    'the heap',
    [warm.heapBytes, last.heapBytes],
    Math.max(warm.heapBytes * heapRatio, warm.heapBytes + heapSlack),
  );
  compare(
    'resident memory',
    [warm.residentBytes, last.residentBytes],
    Math.max(warm.residentBytes * residentRatio, warm.residentBytes + residentSlack),
  );
  compare('active resources', [warm.resources, last.resources], warm.resources + countSlack);
  compare('open descriptors', [warm.descriptors, last.descriptors], warm.descriptors + countSlack);
  compare('files', [warm.files, last.files], warm.files + countSlack);
  for (const [table, count] of last.rows) {
    const before = warm.rows.get(table) ?? 0;
    if (!kept.has(table)) compare(`table ${table}`, [before, count], before + countSlack);
  }
  return faults;
}
