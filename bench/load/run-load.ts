import { setTimeout } from 'node:timers/promises';
import { startService } from '../../tools/conformance/svc-process.ts';
import { getAnswer, getId } from '../service-access.ts';
import { calibrate } from '../sessions/calibration.ts';
import { heldBytes } from '../process-usage.ts';
import { nextMessage } from '../run-program.ts';
import { startBareProcess } from '../bare-server.ts';
import type { PollerReport, PollerOrder } from './poller.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

const [clients, everyMs, perSecond] = [500, 2000, 20];
const goalMs = 50;
/** Number of clients that poll a bare server. Its response times show how much the machine itself delays responses. */
const bareClients = 50;
const key = 'svc_load';
const mebibyte = 1024 * 1024;
const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };

/**
 * Measures errors, poll times and memory of a service with 500 polling clients and 20 new sessions per second. At the
 * same time, other clients poll a bare server.
 */
export async function runLoad(folder: string, minutes: number): Promise<string[]> {
  const args = [
    '--port',
    '0',
    '--data',
    folder,
    '--hosts',
    'simulated',
    '--bootstrap-key',
    key,
    '--control',
    '127.0.0.1:0',
  ];
  const env = { NODE_OPTIONS: '--import=./bench/collect-on-signal.ts' };
  await using owned = new AsyncDisposableStack();
  const service = await startService({
    args: [...args, '--log-level', 'error', '--sessions-max', '100000', '--connections-per-address', '2000'],
    env,
  });
  owned.defer(() => service.stop());
  const { address } = service;
  const paths = await Promise.all(Array.from({ length: 60 }, (_, n) => makeOne(address, n)));
  const bare = await startBareProcess({
    get: await getAnswer(`${address}${paths[0] ?? ''}`, { headers }, 200),
    refusal: {},
  });
  owned.defer(() => bare.stop());
  const made = { created: 0, errors: new Array<string>() };
  const half = (): Promise<Half> =>
    getHalf({ address, paths, bareAddress: bare.address, ms: (minutes * 60_000) / 2, made });
  const first = await half();
  // Memory is measured without clients, because a full garbage collection delays every response.
  const halfBytes = await heldBytes(service.pid);
  const { hashMs, syncMs } = calibrate(folder);
  const second = await half();
  const endBytes = await heldBytes(service.pid);
  const polls = joined(first.polls, second.polls);
  const bareTimes = joined(first.bare, second.bare);
  const errors = [...made.errors, ...polls.errors];
  return [
    `${clients} clients poll every ${everyMs / 1000} s, ${made.created} sessions in ${minutes} minutes (goal ${perSecond} per second): ${errors.length} errors`,
    ...errors.slice(0, 5).map((error) => `  ${error}`),
    `a poll: ${timesText(polls.times)} (goal p99 ${goalMs} ms, idle); ${polls.times.length} polls`,
    `a bare server meanwhile: ${timesText(bareTimes.times)}; SHA-256 of 4 MiB ${hashMs.toFixed(1)} ms, a synced write ${syncMs.toFixed(1)} ms`,
    `memory at the end / at half time: ${(endBytes / halfBytes).toFixed(2)} (${(endBytes / mebibyte).toFixed(0)} MiB / ${(halfBytes / mebibyte).toFixed(0)} MiB)`,
  ];
}

interface HalfOptions {
  readonly address: string;
  readonly paths: readonly string[];
  readonly bareAddress: string;
  readonly ms: number;
  readonly made: { created: number; errors: string[] };
}

interface Half {
  readonly polls: PollerReport;
  readonly bare: PollerReport;
}

/**
 * Runs half of the measurement: clients poll the service and the bare server for `ms` milliseconds while sessions are
 * created.
 */
async function getHalf({ address, paths, bareAddress, ms, made }: HalfOptions): Promise<Half> {
  const pollers = startPollers({ address, paths, headers, clients, everyMs });
  const bare = startPollers({ address: bareAddress, paths: ['/session'], headers: {}, clients: bareClients, everyMs });
  await createFor(address, ms, made);
  return { polls: await pollers.end(), bare: await bare.end() };
}

function joined(first: PollerReport, second: PollerReport): PollerReport {
  return { times: [...first.times, ...second.times], errors: [...first.errors, ...second.errors] };
}

/** Creates a session or run to poll; returns its path. */
async function makeOne(address: string, n: number): Promise<string> {
  if (n % 2 === 0) {
    const body = JSON.stringify({ keepAlive: true });
    return `/api/v3/sessions/${getId(await getAnswer(`${address}/api/v3/sessions`, { method: 'POST', headers, body }, 200))}`;
  }
  const body = JSON.stringify({ task: 'svc-test: slow 3000', model: 'gpt-5.6-luna' });
  return `/api/v4/runs/${getId(await getAnswer(`${address}/api/v4/runs`, { method: 'POST', headers, body }, 200))}/status`;
}

/** Creates sessions at a fixed rate, independent of response times. Each session has a task of some seconds. */
async function createFor(address: string, ms: number, made: { created: number; errors: string[] }): Promise<void> {
  const [begun, before] = [performance.now(), made.created];
  const underWay: Promise<void>[] = [];
  while (performance.now() - begun < ms) {
    const due = Math.floor(((performance.now() - begun) / 1000) * perSecond);
    for (; made.created - before < due; made.created += 1) underWay.push(createOne(address, made.errors));
    await setTimeout(1000 / perSecond);
  }
  await Promise.all(underWay);
}

async function createOne(address: string, errors: string[]): Promise<void> {
  const body = JSON.stringify({ task: 'svc-test: slow 5', keepAlive: false });
  try {
    await getAnswer(`${address}/api/v3/sessions`, { method: 'POST', headers, body }, 200);
  } catch (error) {
    errors.push(String(error));
  }
}

function timesText(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

/** Clients that poll a service in a child process. */
export interface Pollers {
  /** Ends the clients and returns their report. */
  end(): Promise<PollerReport>;
}

/**
 * Starts polling clients in a child process, so that the clients take no processor time from the process of the
 * benchmark.
 */
function startPollers(order: PollerOrder): Pollers {
  const child: ChildProcess = fork(join(import.meta.dirname, 'poller.ts'));
  child.send(order);
  return {
    async end() {
      const told = nextMessage(child);
      child.send('end');
      return read(await told);
    },
  };
}

function read(report: unknown): PollerReport {
  const isReport = typeof report === 'object' && report !== null && 'times' in report && 'errors' in report;
  if (!isReport || !Array.isArray(report.times) || !Array.isArray(report.errors))
    throw new Error('the pollers told nothing');
  return { times: report.times.map(Number), errors: report.errors.map(String) };
}
