import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/domain/json.ts';
import type { ServiceAccess } from './browsers.ts';

/** What the whole free part of the suite took. */
export interface SuiteRun {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Runs `svc check --spend none` without a rate limit against a service and reads its report. */
export async function benchSuite({ address, key }: ServiceAccess, folder: string): Promise<SuiteRun> {
  const file = join(folder, 'report.json');
  const args = ['check', address, '--target', 'examples/targets/reference.yaml', '--spend', 'none', '--rate', '0'];
  const child = spawn(process.execPath, ['src/cli/main.ts', ...args, '--report', `json=${file}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SERVICE_API_KEY: key },
  });
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
  if (code !== 0) throw new Error(`svc check ended with exit code ${code}`);
  const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isJsonObject(report)) throw new Error('the report is no object');
  const requests = Number(report['exchangeCount']);
  const seconds = Number(report['durationMs']) / 1000;
  return { requests, seconds, perSecond: requests / seconds };
}
