import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/lib/json.ts';
import { runProgram } from '../run-program.ts';
import type { BenchRow } from '../table/bench-row.ts';

/** `svc check --spend none` against a replay of the same requests with equal concurrency, each in a new process. */
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

/** Returns the arguments of `svc check` for a reference, without a rate limit. */
export function checkArgs(address: string, spend: string, reports: Readonly<Record<string, string>>): string[] {
  const report = Object.entries(reports).map(([kind, file]) => `${kind}=${file}`);
  const words = ['--target', 'examples/targets/reference.yaml', '--spend', spend, '--rate', '0', '--seed', '1'];
  return ['src/cli/main.ts', 'check', address, ...words, '--report', report.join(',')];
}
