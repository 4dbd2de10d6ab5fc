import { setTimeout } from 'node:timers/promises';
import { type Draw, createDraw } from '../draw.ts';
import { type CallService, createCall } from '../service/call-service.ts';
import { type ClientStep, createClient } from './client-life.ts';
import { explained } from './explained.ts';
import type { Fact } from './facts.ts';
import type { Fleet, Victim } from './fleet.ts';
import type { Books } from './read-books.ts';
import { type Notebook, createNotebook } from './notebook.ts';

/** Options of a run that kills processes. */
export interface KillsOptions {
  readonly fleet: Fleet;
  readonly kills: number;
  /** Equal seeds yield equal actions in equal order; their timing depends on the machine. */
  readonly seed: number;
  /** Number of clients that send requests at the same time. */
  readonly clients: number;
  /** Maximum number of concurrent browsers of each client. */
  readonly browsersMax: number;
  /** Probability that a kill hits a browser process, if a browser process runs. */
  readonly browserShare: number;
  /** Called after each kill. @defaultValue not called */
  readonly progress?: (line: string) => void;
}

/** Result of a run that kills processes. */
export interface KillsResult {
  readonly description: string;
  /** Number of kills by kind of process. */
  readonly killed: ReadonlyMap<string, number>;
  /** Number of operations that the service has acknowledged, by name. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Number of facts that were checked at the end of the run. */
  readonly facts: number;
  readonly books: Books;
  readonly faults: readonly string[];
  /** Milliseconds from the end of each killed process until the fleet served requests again. */
  readonly restoredMs: readonly number[];
}

/** Maximum time between recovery and the next kill, in milliseconds. */
const momentMaxMs = 2_500;
/** After each kill, this number of the newest facts is checked, and at most the same number of random older facts. */
const looked = 60;
/** Deadline for all tasks, far above their duration on a loaded machine. */
const tasksEndMs = 300_000;
const lookMs = 250;

/**
 * Kills processes of a fleet while clients send requests, and checks all acknowledged facts. Removes the fleet
 * afterwards.
 */
export async function runKills(options: KillsOptions): Promise<KillsResult> {
  const { fleet, kills, seed, progress } = options;
  const draw = createDraw(seed);
  const notebook = createNotebook();
  const [killed, acknowledged, restoredMs] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Array<number>(),
  ];
  const state: State = {
    ...options,
    notebook,
    acknowledged,
    serviceKills: 0,
    killedAt: Number.NEGATIVE_INFINITY,
    down: null,
    isOver: false,
  };
  const clients = Array.from({ length: options.clients }, (_, number) => getClient(state, number));
  const working = Promise.all(clients.map((step) => work(state, step)));
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await setTimeout(draw.random() * momentMaxMs);
      const victim = await getVictim(options, draw);
      killed.set(victim.kind, (killed.get(victim.kind) ?? 0) + 1);
      restoredMs.push(await killAndRestore(state, victim));
      await lookBack(state, draw);
      progress?.(`${kill} of ${kills}: ${notebook.facts.length} facts, ${notebook.faults.size} faults`);
    }
  } finally {
    state.isOver = true;
    await working;
  }
  await waitForTasks(state);
  await notebook.readBack(getCall(fleet), notebook.facts, true);
  const books = await fleet.books();
  const left = await fleet.stop();
  fleet.remove();
  const faults = [...notebook.faults, ...books.faults, ...left].map((fault) => explained(fault, fleet.log));
  return {
    description: fleet.description,
    killed,
    acknowledged,
    facts: notebook.facts.length,
    books,
    faults,
    restoredMs,
  };
}

interface State extends KillsOptions {
  readonly notebook: Notebook;
  readonly acknowledged: Map<string, number>;
  /** Number of kills of service processes so far. */
  serviceKills: number;
  /**
   * Time of the last kill of a service process or, after the recovery, the time of the recovery, in
   * `performance.now()`.
   */
  killedAt: number;
  /** Resolves when the service serves requests again; null while clients may send requests. */
  down: Promise<void> | null;
  isOver: boolean;
}

/**
 * Returns a client of the fleet. The client rejects for a 502, because the balancer and not the service sends this
 * status.
 */
function getCall(fleet: Fleet): CallService {
  const call = createCall(fleet);
  return async (...asked) => {
    const answer = await call(...asked);
    if (answer.status === 502) throw new TypeError('no process answered behind the balancer');
    return answer;
  };
}

function getClient({ fleet, seed, notebook, acknowledged, browsersMax }: State, number: number): ClientStep {
  return createClient({
    number,
    draw: createDraw(seed + 1000 + number),
    call: getCall(fleet),
    notebook,
    count: (name) => void acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1),
    browsersMax,
  });
}

/**
 * Performs one action after the other until the run is over. A failed action is a fault, unless a process of the
 * service was killed during the action or less than `mendMs` before.
 */
async function work(state: State, step: ClientStep): Promise<void> {
  while (!state.isOver) {
    await state.down;
    const { serviceKills, killedAt, fleet } = state;
    const isWhole = performance.now() > killedAt + fleet.mendMs;
    try {
      await step();
    } catch (error) {
      if (state.serviceKills === serviceKills && isWhole)
        state.notebook.fault(`no answer although nothing was killed: ${getCause(error)}`);
    }
  }
}

function getCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
  return `${String(error)}${cause}`;
}

/**
 * Returns a random process to kill: a browser process with the probability `browserShare`, otherwise a process of the
 * service. If no process of the chosen kind runs, returns any process.
 */
async function getVictim({ fleet, browserShare }: KillsOptions, draw: Draw): Promise<Victim> {
  const victims = await fleet.victims();
  const wanted = draw.chance(browserShare) ? 'chromium' : 'service';
  const fitting = victims.filter(({ kind }) => (kind === 'chromium') === (wanted === 'chromium'));
  return draw.of(fitting.length > 0 ? fitting : victims);
}

/** Kills a process and restarts missing processes. Returns the duration of the restart in milliseconds. */
async function killAndRestore(state: State, victim: Victim): Promise<number> {
  const { fleet } = state;
  const { promise, resolve } = Promise.withResolvers<void>();
  if (victim.kind !== 'chromium') {
    state.serviceKills += 1;
    state.killedAt = performance.now();
    // While other processes serve, clients continue.
    if (fleet.mendMs === 0) state.down = promise;
  }
  await fleet.kill(victim);
  const begun = performance.now();
  await fleet.restore();
  // The recovery time begins here, because a loaded machine takes long to start the missing process.
  if (victim.kind !== 'chromium') state.killedAt = performance.now();
  state.down = null;
  resolve();
  return performance.now() - begun;
}

/**
 * Checks the newest facts and some older facts while clients continue, and records orphaned browser processes as
 * faults.
 */
async function lookBack(state: State, draw: Draw): Promise<void> {
  const { notebook, fleet } = state;
  const { facts } = notebook;
  const older = facts.slice(0, -looked);
  const some: Fact[] = older.length === 0 ? [] : draw.list([looked, looked], () => draw.of(older));
  await notebook.readBack(getCall(fleet), [...facts.slice(-looked), ...new Set(some)], true);
  for (const orphan of await fleet.orphans()) notebook.fault(orphan);
}

/**
 * Waits until all tasks and messages have ended, for at most `tasksEndMs`. A task or message that has not ended then is
 * a fault.
 */
export async function waitForTasks({ notebook, fleet }: Pick<State, 'notebook' | 'fleet'>): Promise<void> {
  const until = performance.now() + tasksEndMs;
  const call = getCall(fleet);
  const waiting = (): Fact[] => notebook.facts.filter((fact) => tasks.has(fact.kind) && !fact.hasEnded());
  await notebook.readBack(
    call,
    notebook.facts.filter((fact) => tasks.has(fact.kind)),
    true,
  );
  while (waiting().length > 0 && performance.now() < until) {
    await setTimeout(lookMs);
    await notebook.readBack(call, waiting(), true);
  }
  for (const { name } of waiting()) notebook.fault(`${name} has not ended`);
}

/** Kinds of records that end without a request of a client. */
const tasks = new Set(['v4 run', 'v2 task', 'v4 message']);
