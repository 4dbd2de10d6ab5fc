import { join } from 'node:path';
import { runProgram } from '../run-program.ts';
import type { BenchRow, Rounds } from '../table/bench-row.ts';
import type { Stage } from '../table/stage.ts';
import { checkArgs } from './free-suite.ts';

/** A complete `svc check --spend task` with simulated browsers, and the share of time in which the suite was idle. */
export const taskSuite: BenchRow = {
  ids: ['task-suite', 'task-suite-waiting'],
  async measure(stage) {
    const { seconds, waiting } = await runs(stage, { hosts: 'simulated', rounds: Math.min(stage.rounds, 3) });
    return [
      { id: 'task-suite', ours: seconds, anchor: [] },
      { id: 'task-suite-waiting', ours: waiting, anchor: [], note },
    ] satisfies Rounds[];
  },
};

/** One run of the same suite with Chromium. */
export const chromiumSuite: BenchRow = {
  ids: ['chromium-suite', 'chromium-suite-waiting'],
  async measure(stage) {
    const { seconds, waiting } = await runs(stage, { hosts: 'local', rounds: 1 });
    return [
      { id: 'chromium-suite', ours: seconds, anchor: [] },
      { id: 'chromium-suite-waiting', ours: waiting, anchor: [], note },
    ] satisfies Rounds[];
  },
};

const note = "the share of its time in which the suite's own process did not compute, its start included";

async function runs(
  stage: Stage,
  { hosts, rounds }: { readonly hosts: 'simulated' | 'local'; readonly rounds: number },
): Promise<{ seconds: number[]; waiting: number[] }> {
  const name = `suite-${hosts}`;
  const { address, key } = await stage.service(name, '--hosts', hosts, '--control', '127.0.0.1:0');
  const folder = stage.folder(`${name}-run`);
  const args = checkArgs(address, 'task', { json: join(folder, 'report.json') });
  // A simulated browser cannot be driven, which is a violation.
  const codes = hosts === 'simulated' ? [0, 1] : [0];
  const ran = [];
  for (let round = 0; round < rounds; round += 1)
    ran.push(await runProgram({ args, env: { SERVICE_API_KEY: key }, usageFile: join(folder, 'usage.json'), codes }));
  await stage.end(name);
  return {
    seconds: ran.map(({ seconds }) => seconds),
    waiting: ran.map(({ seconds, processorSeconds }) => Math.max(0, 1 - processorSeconds / seconds)),
  };
}
