import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '#lib/json.ts';
import { runProgram } from '../run-program.ts';
import type { BenchRow, Rounds } from '../table/bench-row.ts';
import type { Stage } from '../table/stage.ts';

/**
 * Duration of `svc check --spend none` against a replay of its requests by a bare client with the same concurrency.
 * Each runs in a new process.
 */
export const freeSuite: BenchRow = {
  ids: ['free-suite'],
  async measure(stage) {
    const { address, key } = await stage.service('simulated', '--hosts', 'simulated', '--sessions-max', '100000');
    const folder = stage.folder('free-suite');
    const [json, har] = [join(folder, 'report.json'), join(folder, 'run.har')];
    const env = { SERVICE_API_KEY: key };
    const ours: number[] = [];
    const anchor: number[] = [];
    let requests = 0;
    for (let round = 0; round < stage.rounds; round += 1) {
      await runProgram({ args: checkArgs(address, 'none', { json, har }), env });
      const report: unknown = JSON.parse(readFileSync(json, 'utf8'));
      if (!isJsonObject(report)) throw new Error('the report is no object');
      requests = Number(report['exchangeCount']);
      ours.push(Number(report['durationMs']) / 1000);
      anchor.push(Number((await runProgram({ args: ['bench/send-again.ts', har], env })).printed));
    }
    await stage.end('simulated');
    return [{ id: 'free-suite', ours, anchor, note: `${requests} requests` }];
  },
};

/** Returns the arguments of Node for `svc check` of a reference; the suite sends without a rate limit. */
export function checkArgs(address: string, spend: string, reports: Readonly<Record<string, string>>): string[] {
  const report = Object.entries(reports).map(([kind, file]) => `${kind}=${file}`);
  const words = ['--target', 'examples/targets/reference.yaml', '--spend', spend, '--rate', '0', '--seed', '1'];
  return ['src/cli/main.ts', 'check', address, ...words, '--report', report.join(',')];
}

/** Returns the number of exchanges in a HAR file. */
export function countExchanges(har: string): number {
  const file: unknown = JSON.parse(readFileSync(har, 'utf8'));
  const log = isJsonObject(file) ? file['log'] : undefined;
  return isJsonObject(log) && Array.isArray(log['entries']) ? log['entries'].length : 0;
}

/**
 * Durations of complete runs of `svc check --spend task` with simulated browsers, and the share of time in which the
 * suite was idle.
 */
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

/**
 * Duration of one complete `svc check --spend task` with Chromium, and the share of time in which the suite was idle.
 */
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
