import { setTimeout } from 'node:timers/promises';
import { toText } from '#conformance/core/json.ts';
import { type Draw, createDraw } from '../draw.ts';
import { Away, createClient } from '../kills/client-life.ts';
import { explained } from '../kills/explained.ts';
import type { Fact } from '../kills/facts.ts';
import type { Books } from '../kills/read-books.ts';
import { type Notebook, createNotebook } from '../kills/notebook.ts';
import type { OneProcessFleet } from '../kills/one-process-fleet.ts';
import { waitForTasks } from '../kills/run-kills.ts';
import { type CallService, createCall } from '../service/call-service.ts';
import type { ControlServer } from './control-server.ts';
import type { Strain } from './full-disk.ts';

/** Options of a run under environment faults. */
export interface StrainsOptions {
  readonly fleet: OneProcessFleet;
  readonly strain: Strain;
  /** Server whose response time shows the load of the machine during the strains. */
  readonly control: ControlServer;
  readonly rounds: number;
  readonly seed: number;
  /** Number of clients that send requests at the same time. */
  readonly clients: number;
  readonly progress: (line: string) => void;
}

/** Result of a run under environment faults. */
export interface StrainsResult {
  readonly strain: Pick<Strain, 'name' | 'what'>;
  readonly rounds: number;
  /** Number of operations that the service has acknowledged, by name. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Number of failed actions by the HTTP status of the response. Status 0 means that no response arrived. */
  readonly refused: ReadonlyMap<number, number>;
  readonly facts: number;
  readonly books: Books;
  readonly faults: readonly string[];
  /** Times in ms from the end of each strain to the next successful write; 10 s when no write succeeds. */
  readonly servedMs: readonly number[];
  readonly slowestReadMs: number;
  /** Slowest response of the control server during the strains, in milliseconds. */
  readonly slowestControlMs: number;
}

/** Maximum wait before each strain, in milliseconds. */
const momentMaxMs = 800;
/** Time in ms after a strain in which a new request may still be refused because of the strain. */
const lateMs = 5_000;
/**
 * Limit in ms by which a read may be slower than a concurrent response of the control server. A service that waits for
 * a lock on its event loop takes 5 s.
 */
const readMaxMs = 2_500;
const readEveryMs = 25;
const pauseMaxMs = 100;
const servedMaxMs = 10_000;
/**
 * After each round, the proof checks this number of the newest facts that the service has acknowledged, and at most the
 * same number of randomly chosen older facts.
 */
const looked = 30;
/** Time in ms within which the sweeper must have resumed or ended all sessions. */
const settleMs = 120_000;

interface State extends StrainsOptions {
  readonly notebook: Notebook;
  readonly call: CallService;
  readonly acknowledged: Map<string, number>;
  readonly refused: Map<number, number>;
  /** Time at which the latest strain ended, in milliseconds of `performance.now()`; Infinity while a strain lasts. */
  overAt: number;
  isOver: boolean;
  slowestReadMs: number;
  slowestControlMs: number;
}

/**
 * Disturbs a service at random moments while clients send requests, and checks all acknowledged facts. Stops the fleet
 * afterwards.
 */
export async function runStrains(options: StrainsOptions): Promise<StrainsResult> {
  const { fleet, strain, rounds, seed, progress } = options;
  const draw = createDraw(seed);
  const notebook = createNotebook();
  const [acknowledged, refused] = [new Map<string, number>(), new Map<number, number>()];
  const begun = { overAt: Number.NEGATIVE_INFINITY, isOver: false, slowestReadMs: 0, slowestControlMs: 0 };
  const state: State = { ...options, notebook, call: createCall(fleet), acknowledged, refused, ...begun };
  const working = Promise.all(Array.from({ length: options.clients }, (_, number) => work(state, number)));
  const servedMs: number[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await setTimeout(draw.random() * momentMaxMs);
      servedMs.push(await strainOnce(state, draw));
      await lookBack(state, draw);
      progress(`${strain.name} ${round} of ${rounds}: ${notebook.facts.length} facts, ${notebook.faults.size} faults`);
    }
  } finally {
    state.isOver = true;
    await working;
  }
  await waitForTasks(state);
  await waitForSessions(state);
  // Everything acknowledged must also survive a kill of the service.
  const [service] = await fleet.victims();
  if (service !== undefined) await fleet.kill(service);
  await fleet.restore();
  await notebook.readBack(state.call, notebook.facts, true);
  const books = await fleet.books();
  const left = await fleet.stop();
  const faults = [...notebook.faults, ...books.faults, ...left].map((fault) => explained(fault, fleet.log));
  const { slowestReadMs, slowestControlMs } = state;
  return {
    strain,
    rounds,
    acknowledged,
    refused,
    facts: notebook.facts.length,
    books,
    faults,
    servedMs,
    slowestReadMs,
    slowestControlMs,
  };
}

/**
 * Performs one action after the other until the run is over. An action may fail with a status in `refusals` of the
 * strain, during the strain or within `lateMs` after the strain. Any other failure is a fault.
 */
async function work(state: State, number: number): Promise<void> {
  const { seed, notebook, call, acknowledged, refused, strain } = state;
  const count = (name: string): void => void acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1);
  const draw = createDraw(seed + 1000 + number);
  const step = createClient({ number, draw, call, notebook, count, browsersMax: 3 });
  while (!state.isOver) {
    const sentAt = performance.now();
    try {
      await step();
    } catch (error) {
      const status = error instanceof Away ? error.status : 0;
      refused.set(status, (refused.get(status) ?? 0) + 1);
      const isExpected = strain.refusals.includes(status) && sentAt < state.overAt + lateMs;
      if (!isExpected) notebook.fault(`refused without a strain: ${String(error)}`);
    }
    // Pauses between actions, because this proof does not test load.
    await setTimeout(draw.random() * pauseMaxMs);
  }
}

/** Applies the strain once; returns the milliseconds from the end of the strain to the next successful write. */
async function strainOnce(state: State, draw: Draw): Promise<number> {
  const { strain } = state;
  const [leastMs, mostMs] = strain.lastsMs;
  const lastsMs = leastMs + draw.random() * (mostMs - leastMs);
  state.overAt = Number.POSITIVE_INFINITY;
  await strain.begin();
  const untilMs = performance.now() + lastsMs;
  try {
    while (performance.now() < untilMs) await readOnce(state);
  } finally {
    await strain.end();
    state.overAt = performance.now();
  }
  return untilServed(state);
}

/**
 * Sends one GET request while the environment fault (strain) lasts. A status other than 200 is a fault of the service,
 * and so is a response that takes `readMaxMs` longer than that of the control server.
 */
async function readOnce(state: State): Promise<void> {
  const begun = performance.now();
  const [status, controlMs] = await Promise.all([getStatus(state.call), state.control.ask()]);
  const tookMs = performance.now() - begun;
  state.slowestControlMs = Math.max(state.slowestControlMs, controlMs);
  state.slowestReadMs = Math.max(state.slowestReadMs, tookMs);
  if (status !== 200) state.notebook.fault(`a read was answered ${status} during a ${state.strain.name}`);
  if (tookMs > controlMs + readMaxMs)
    state.notebook.fault(`a read took ${Math.round(tookMs)} ms during a ${state.strain.name}`);
  await setTimeout(readEveryMs);
}

async function getStatus(call: CallService): Promise<number> {
  return (await call('GET', 'v4/profiles?pageSize=1')).status;
}

async function untilServed({ call, notebook, strain }: State): Promise<number> {
  const begun = performance.now();
  while (performance.now() - begun < servedMaxMs) {
    const { status } = await call('POST', 'v4/workspaces', { name: 'served again' });
    if (status < 300) return performance.now() - begun;
    await setTimeout(readEveryMs);
  }
  notebook.fault(`nothing is written ${servedMaxMs} ms after a ${strain.name}`);
  return servedMaxMs;
}

async function lookBack({ notebook, call }: State, draw: Draw): Promise<void> {
  const { facts } = notebook;
  const older = facts.slice(0, -looked);
  const some: Fact[] = older.length === 0 ? [] : draw.list([looked, looked], () => draw.of(older));
  await notebook.readBack(call, [...facts.slice(-looked), ...new Set(some)], true);
}

/** Waits until no V3 session is created or running; after 2 minutes, records each such session as a fault. */
async function waitForSessions({ notebook, call }: State): Promise<void> {
  const until = performance.now() + settleMs;
  for (;;) {
    const waiting = [];
    for (const fact of notebook.facts) {
      if (fact.kind !== 'v3 session') continue;
      const id = fact.name.slice('v3 session '.length);
      const { json } = await call('GET', `v3/sessions/${id}`);
      const status = toText(Object(json).status);
      if (status === 'created' || status === 'running') waiting.push(`${fact.name} is still ${status}`);
    }
    if (waiting.length === 0) return;
    if (performance.now() > until) {
      for (const fault of waiting) notebook.fault(fault);
      return;
    }
    await setTimeout(1_000);
  }
}
