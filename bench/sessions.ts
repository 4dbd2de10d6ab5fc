import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endProgram, nextMessage } from './run-program.ts';
import { getAnswer, type ServiceAccess } from './service-access.ts';
import { calibrate } from './sessions/calibration.ts';
import { type ModelStub, startModelStub, getUsage } from './sessions/model-stub.ts';

const sessions = 200;
const steps = 4;
/**
 * Bounds of the model's response times in milliseconds. The times must differ: if all responses arrived at once, the
 * benchmark would measure how 200 steps queue for the only database writer.
 */
const modelMs = { least: 4000, most: 12_000 };
const pollMs = 200;
const mebibyte = 1024 * 1024;
const stepGoalMs = 30;
const memoryGoal = 2;

/**
 * Measures 200 concurrent sessions with a slow model: the time of a step without its model call, the memory of a
 * waiting session, and the number of runs with wrong token totals.
 */
export async function benchSessions(folder: string, key: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const stub = await startModelStub(modelMs);
  const child = fork(join(import.meta.dirname, 'sessions/bench-service.ts'), [
    folder,
    stub.address,
    key,
    String(steps),
  ]);
  try {
    const access = { address: String((await next(child))['address']), key };
    // The first session loads code and data that a service loads only once.
    await ended(access, [await create(access, 'first')]);
    const waiting = await measureWaiting(access, { child, stub });
    await next(child, 'overheads');
    const { hashMs, syncMs } = calibrate(folder);
    const begun = performance.now();
    const ids = await Promise.all(Array.from({ length: sessions }, (_, n) => create(access, `goal ${n}`)));
    const runs = await ended(access, ids);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const { overheads } = await next(child, 'overheads');
    if (!Array.isArray(overheads)) throw new Error('the service told no times');
    const times = overheads.map(Number).toSorted((one, other) => one - other);
    const at = (share: number): string => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1);
    await checkEvents(access, ids);
    return [
      `${sessions} sessions of ${steps} steps at once, a model that takes ${modelMs.least / 1000} to ${modelMs.most / 1000} s: ${seconds} s, ${wrongSums(runs)} wrong sums, no event lost`,
      `a step besides its model: median ${at(0.5)} ms, p95 ${at(0.95)} ms (goal ${stepGoalMs} ms, idle); ${times.length} steps`,
      `the machine meanwhile: SHA-256 of 4 MiB ${hashMs.toFixed(1)} ms, a synced write ${syncMs.toFixed(1)} ms`,
      `a waiting session: ${(waiting / mebibyte).toFixed(2)} MiB (goal ${memoryGoal} MiB)`,
    ];
  } finally {
    await endProgram(child, 'disconnect');
    await stub.close();
  }
}

/**
 * Returns the memory in bytes of one session with a pending model call: the memory by which 200 such sessions increase
 * the process, divided by 200.
 */
async function measureWaiting(
  access: ServiceAccess,
  { child, stub }: { child: ChildProcess; stub: ModelStub },
): Promise<number> {
  const before = Number((await next(child, 'held'))['bytes']);
  stub.hold();
  const ids = await Promise.all(Array.from({ length: sessions }, (_, n) => create(access, `waits ${n}`)));
  while (stub.waiting() < sessions) await setTimeout(pollMs);
  const during = Number((await next(child, 'held'))['bytes']);
  stub.release();
  await ended(access, ids);
  return (during - before) / sessions;
}

/** Sends the message `asked`, if given, to the service process. Then returns the next message from the process. */
async function next(child: ChildProcess, asked?: string): Promise<Readonly<Record<string, unknown>>> {
  const told = nextMessage(child);
  if (asked !== undefined) child.send(asked);
  return getObject(await told);
}

async function create({ address, key }: ServiceAccess, task: string): Promise<string> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ task, model: 'claude-opus-4.8', maxCostUsd: 5 });
  return String(getObject(await getAnswer(`${address}/api/v4/runs`, { method: 'POST', headers, body }, 200))['id']);
}

/** Waits until runs are completed and returns their records; throws if a run has failed. */
async function ended(access: ServiceAccess, ids: readonly string[]): Promise<Readonly<Record<string, unknown>>[]> {
  const runs: Readonly<Record<string, unknown>>[] = [];
  for (const id of ids) {
    let run = await get(access, `/runs/${id}`);
    while (run['status'] !== 'completed') {
      if (run['status'] === 'failed') throw new Error(`a run failed: ${String(run['error'])}`);
      await setTimeout(pollMs);
      run = await get(access, `/runs/${id}`);
    }
    runs.push(run);
  }
  return runs;
}

function wrongSums(runs: readonly Readonly<Record<string, unknown>>[]): number {
  const usages = Array.from({ length: steps }, (_, n) => getUsage(n));
  const input = usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  return runs.filter((run) => run['totalInputTokens'] !== input || run['totalOutputTokens'] !== output).length;
}

/** Throws unless each run reports every step. */
async function checkEvents(access: ServiceAccess, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { events } = await get(access, `/runs/${id}/events?limit=100`);
    if (!Array.isArray(events)) throw new Error(`run ${id} has no events`);
    const told = JSON.stringify(events);
    const missing = Array.from({ length: steps }, (_, n) => `"Step ${n}"`).filter((text) => !told.includes(text));
    if (missing.length > 0) throw new Error(`run ${id} lost ${missing.join(', ')}`);
  }
}

async function get({ address, key }: ServiceAccess, path: string): Promise<Readonly<Record<string, unknown>>> {
  return getObject(await getAnswer(`${address}/api/v4${path}`, { headers: { 'x-service-api-key': key } }, 200));
}

function getObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error(`expected an object, found ${String(value)}`);
  return Object.fromEntries(Object.entries(value));
}
