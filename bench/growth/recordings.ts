import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/lib/json.ts';
import { checkArgs } from '../rows/free-suite.ts';
import { runProgram } from '../run-program.ts';
import { createStage } from '../table/stage.ts';
import type { Grown } from './grown.ts';

/** Runs of the suite, each with about ten times as many exchanges as the previous one. */
const runs = [
  ['--only', 'AUTH-01'],
  ['--profile', 'documented'],
  ['--profile', 'full', '--matrix', 'full', '--max-dispatches', '20000', '--stateful-runs', '70'],
] as const;

/** Measures processor time of `svc judge` per exchange of three recordings, minus that of the smallest one. */
export async function growthOfRecordings(): Promise<Grown[]> {
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
    sizes.push(exchangesIn(har));
    const judged = await runProgram({ args: ['src/cli/main.ts', 'judge', har], codes: [0, 1], usageFile });
    seconds.push(judged.processorSeconds);
  }
  const [least = 0, fewest = 0] = [seconds[0], sizes[0]];
  const costs = sizes.slice(1).map((size, n) => (((seconds[n + 1] ?? Number.NaN) - least) * 1000) / (size - fewest));
  return [{ figure: 'svc judge, an exchange', of: 'exchanges', sizes: sizes.slice(1), costs, unit: 'ms' }];
}

function exchangesIn(har: string): number {
  const file: unknown = JSON.parse(readFileSync(har, 'utf8'));
  const log = isJsonObject(file) ? file['log'] : undefined;
  return isJsonObject(log) && Array.isArray(log['entries']) ? log['entries'].length : 0;
}
