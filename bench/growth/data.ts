import { join } from 'node:path';
import { storedRequests, getTimes } from '../load/stored-requests.ts';
import { openStored, storedKinds, type Stored } from '../load/stored-service.ts';
import { getMedian } from '../table/summarise.ts';
import type { Grown } from './grown.ts';

const sizes = [1_000, 10_000, 100_000];
const calls = 60;
const rounds = 4;

/**
 * Measures polls, first pages and retention queries with a thousand, ten thousand and a hundred thousand stored
 * sessions, in alternation.
 */
export async function growthOfData(folder: string): Promise<Grown[]> {
  await using owned = new AsyncDisposableStack();
  const all: Stored[] = [];
  for (const size of sizes) {
    const stored = await openStored(join(folder, String(size)), size);
    owned.defer(() => stored.service.stop());
    all.push(stored);
  }
  const common = { of: 'stored sessions', sizes, unit: 'ms' } as const;
  const grown: Grown[] = [];
  for (const request of storedRequests) {
    const times = sizes.map(() => new Array<number>());
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, stored] of all.entries()) {
        const taken = await getTimes(request, stored, calls);
        // The first round is a warm-up.
        if (round > 0) times[index]?.push(...taken);
      }
    grown.push({ ...common, figure: request.name, costs: times.map(getMedian) });
  }
  const found = storedKinds.map((kind) => ({
    ...common,
    figure: `retention finds no old ${kind}`,
    costs: all.map(({ findMs }) => findMs.get(kind) ?? Number.NaN),
  }));
  return [...grown, ...found];
}
