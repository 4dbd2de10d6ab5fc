import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/lib/json.ts';
import { runProgram } from '../run-program.ts';
import type { BenchRow } from '../table/bench-row.ts';
import type { Stage } from '../table/stage.ts';
import { checkArgs } from './free-suite.ts';

/**
 * `svc judge` of a recording with at least 10,000 exchanges against JSON.parse of its file. Each runs in a new process,
 * and processor time is compared, because neither waits for anything.
 */
export const judge: BenchRow = {
  ids: ['judge'],
  async measure(stage) {
    const har = await record(stage);
    const exchanges = countIn(har);
    const ours: number[] = [];
    const anchor: number[] = [];
    const usageFile = join(stage.folder('judge'), 'usage.json');
    for (let round = 0; round < Math.min(stage.rounds, 3); round += 1) {
      const judged = await runProgram({ args: ['src/cli/main.ts', 'judge', har], codes: [0, 1], usageFile });
      ours.push(judged.processorSeconds * 1000);
      anchor.push(Number((await runProgram({ args: ['bench/parse-file.ts', har] })).printed));
    }
    return [
      { id: 'judge', ours, anchor, note: `${exchanges} exchanges; processor time, ours with the start of its process` },
    ];
  },
};

/** Records a run of every cell and row with many random scripts: more than 10,000 exchanges. */
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
  const all = ['--profile', 'full', '--matrix', 'full', '--max-dispatches', '20000', '--stateful-runs', '70'];
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
