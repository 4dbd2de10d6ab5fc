import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '../../src/domain/json.ts';
import type { ServiceAccess } from './service-access.ts';

/** What the whole free part of the suite took, and what its requests take with nothing around them; medians. */
export interface SuiteRun {
  readonly requests: number;
  readonly seconds: number;
  readonly bareSeconds: number;
  readonly ratio: number;
}

const rounds = 5;

/** Runs `svc check --spend none` without a rate limit against a service, and sends the same requests again, in turns. */
export async function benchSuite(access: ServiceAccess, folder: string): Promise<SuiteRun> {
  const runs: { requests: number; seconds: number; bare: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { report, recording } = await check(access, folder);
    const seconds = Number(report['durationMs']) / 1000;
    const bare = Number(await runProgram(['scripts/bench/send-again.ts', recording], access.key));
    runs.push({ requests: Number(report['exchangeCount']), seconds, bare });
  }
  const [seconds, bareSeconds] = [medianOf(runs.map((run) => run.seconds)), medianOf(runs.map((run) => run.bare))];
  return { requests: runs[0]?.requests ?? 0, seconds, bareSeconds, ratio: seconds / bareSeconds };
}

async function check({ address, key }: ServiceAccess, folder: string): Promise<{ report: Json; recording: string }> {
  const [json, recording] = [join(folder, 'report.json'), join(folder, 'run.har')];
  const args = ['check', address, '--target', 'examples/targets/reference.yaml', '--spend', 'none', '--rate', '0'];
  await runProgram(['src/cli/main.ts', ...args, '--report', `json=${json},har=${recording}`], key);
  const report: unknown = JSON.parse(readFileSync(json, 'utf8'));
  if (!isJsonObject(report)) throw new Error('the report is no object');
  return { report, recording };
}

/** Runs a program of ours to its end and answers what it printed. */
async function runProgram(args: readonly string[], key: string): Promise<string> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SERVICE_API_KEY: key },
  });
  const [printed, code] = await Promise.all([text(child.stdout), once(child, 'exit').then(([status]) => status)]);
  if (code !== 0) throw new Error(`${args[0]} ended with exit code ${code}`);
  return printed;
}

type Json = Record<string, unknown>;

function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
