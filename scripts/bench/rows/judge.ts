import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../../src/domain/json.ts';
import { runProgram } from '../run-program.ts';
import type { BenchRow } from '../table/bench-row.ts';
import type { Stage } from '../table/stage.ts';
import { checkArgs } from './check-args.ts';

/** `svc judge` of the largest recording that a run of the suite makes, against JSON.parse of its file; each in a fresh process. */
export const judge: BenchRow = {
  ids: ['judge'],
  async measure(stage) {
    const har = await record(stage);
    const exchanges = countIn(har);
    const ours: number[] = [];
    const anchor: number[] = [];
    for (let round = 0; round < Math.min(stage.rounds, 3); round += 1) {
      const judged = await runProgram({ args: ['src/cli/main.ts', 'judge', har], codes: [0, 1] });
      ours.push(judged.seconds * 1000);
      anchor.push(Number((await runProgram({ args: ['scripts/bench/parse-file.ts', har] })).printed));
    }
    return [{ id: 'judge', ours, anchor, note: `${exchanges} exchanges; ours with the start of its process` }];
  },
};

/** Every cell of every matrix, two keys, all rows: as many exchanges as one run has. */
async function record(stage: Stage): Promise<string> {
  const { address, key } = await stage.service(
    'recorded',
    '--hosts',
    'simulated',
    '--sessions-max',
    '1000',
    '--control',
    '127.0.0.1:0',
  );
  const folder = stage.folder('judge');
  const har = join(folder, 'run.har');
  const all = ['--profile', 'full', '--matrix', 'full', '--max-dispatches', '2000', '--max-cost-usd', '10000'];
  const args = checkArgs(address, 'task', { json: join(folder, 'report.json'), har });
  await runProgram({ args: [...args, ...all], env: { SERVICE_API_KEY: key }, codes: [0, 1] });
  await stage.end('recorded');
  return har;
}

function countIn(har: string): number {
  const file: unknown = JSON.parse(readFileSync(har, 'utf8'));
  const log = isJsonObject(file) ? file['log'] : undefined;
  return isJsonObject(log) && Array.isArray(log['entries']) ? log['entries'].length : 0;
}
