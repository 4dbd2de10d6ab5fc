import { join } from 'node:path';
import { storedRequests, getTimes } from '../load/stored-requests.ts';
import { openStored, storedKinds, type Stored } from '../load/stored-service.ts';
import type { Grown } from './grown.ts';
import { checkArgs, countExchanges } from '../rows/free-suite.ts';
import { runProgram } from '../run-program.ts';
import { createStage } from '../table/stage.ts';
import { getMedian } from '../../tools/measure/evidence.ts';

const sessionCounts = [1_000, 10_000, 100_000];
const calls = 60;
const rounds = 4;

/**
 * Measures polls, first pages, creations and retention queries with a thousand, ten thousand and a hundred thousand
 * stored sessions. Requests alternate between the sizes.
 */
export async function measureDataGrowth(folder: string): Promise<Grown[]> {
  await using owned = new AsyncDisposableStack();
  const all: Stored[] = [];
  for (const size of sessionCounts) {
    const stored = await openStored(join(folder, String(size)), size);
    owned.defer(() => stored.service.stop());
    all.push(stored);
  }
  const common = { of: 'stored sessions', sizes: sessionCounts, unit: 'ms' } as const;
  const grown: Grown[] = [];
  for (const request of storedRequests) {
    const times = sessionCounts.map(() => new Array<number>());
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

/**
 * Additional flags of three runs of `svc check`. Each run records about ten times as many exchanges as the previous
 * run.
 */
const runs = [
  ['--only', 'AUTH-01'],
  ['--profile', 'documented'],
  ['--profile', 'full', '--matrix', 'full', '--max-dispatches', '20000', '--stateful-runs', '70'],
] as const;

/**
 * Records three runs of `svc check` and measures `svc judge` for each recording. Returns, for the two larger
 * recordings, the additional processor time per additional exchange, compared with the smallest recording.
 */
export async function measureRecordingGrowth(): Promise<Grown[]> {
  await using stage = createStage(1);
  const limits = ['--sessions-max', '1000', '--control', '127.0.0.1:0'];
  const { address, key } = await stage.service('recorded', '--hosts', 'simulated', ...limits);
  const folder = stage.folder('recordings');
  const usageFile = join(folder, 'usage.json');
  const sizes: number[] = [];
  const seconds: number[] = [];
  for (const [n, words] of runs.entries()) {
    const har = join(folder, `${n}.har`);
    const args = checkArgs(address, 'task', { json: join(folder, 'report.json'), har });
    await runProgram({ args: [...args, ...words], env: { SERVICE_API_KEY: key }, codes: [0, 1] });
    sizes.push(countExchanges(har));
    const judged = await runProgram({ args: ['src/cli/main.ts', 'judge', har], codes: [0, 1], usageFile });
    seconds.push(judged.processorSeconds);
  }
  const [least = 0, fewest = 0] = [seconds[0], sizes[0]];
  const costs = sizes.slice(1).map((size, n) => (((seconds[n + 1] ?? Number.NaN) - least) * 1000) / (size - fewest));
  return [{ figure: 'svc judge, an exchange', of: 'exchanges', sizes: sizes.slice(1), costs, unit: 'ms' }];
}
