import { setTimeout } from 'node:timers/promises';
import { type Draw, createDraw } from '../draw.ts';
import { type CallService, createCall } from '../service/call-service.ts';
import { type ClientStep, createClient } from './client-life.ts';
import { explained } from './explained.ts';
import type { Fact } from './facts.ts';
import type { Fleet, Victim } from './fleet.ts';
import { type Notebook, createNotebook } from './notebook.ts';
import type { Books } from './read-books.ts';

/** What is to be done to a fleet. */
export interface KillsOptions {
  readonly fleet: Fleet;
  readonly kills: number;
  /** The same seed draws the same things in the same order; what else the machine does still decides when. */
  readonly seed: number;
  /** Clients that work at the same time. */
  readonly clients: number;
  /** Browsers of one client at the same time. */
  readonly browsersMax: number;
  /** Share of the kills that are meant for a browser where there is one. */
  readonly browserShare: number;
  /** Told after each kill. @defaultValue nobody is */
  readonly progress?: (line: string) => void;
}

/** What was done and found. */
export interface KillsResult {
  readonly description: string;
  /** What was killed, by kind. */
  readonly killed: ReadonlyMap<string, number>;
  /** What was acknowledged, by name. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Facts that were read back at the end. */
  readonly facts: number;
  readonly books: Books;
  readonly faults: readonly string[];
  /** How long it took until clients were served again, in milliseconds. */
  readonly restoredMs: readonly number[];
}

/** A kill comes at most this long after the fleet serves again. */
const momentMaxMs = 2_500;
/** Facts that are read back after each kill: the newest, and as many of the others. */
const looked = 60;
/** Every task is over much sooner, also on a busy machine. */
const tasksEndMs = 300_000;
const lookMs = 250;

/** Kills processes of a fleet while clients work, and reads back everything that they were told. The fleet is gone afterwards. */
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
  const clients = Array.from({ length: options.clients }, (_, number) => clientOf(state, number));
  const working = Promise.all(clients.map((step) => work(state, step)));
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await setTimeout(draw.random() * momentMaxMs);
      const victim = await victimOf(options, draw);
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
  await notebook.readBack(callOf(fleet), notebook.facts, true);
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
  /** Services that were killed up to now. */
  serviceKills: number;
  /** When the last of them was, and then when it was there again, of `performance.now()`. */
  killedAt: number;
  /** Settles when clients are served again; null while they are. */
  down: Promise<void> | null;
  isOver: boolean;
}

/** Whoever stands before a fleet says 502 where it reached nobody: that is no answer of the service. */
function callOf(fleet: Fleet): CallService {
  const call = createCall(fleet);
  return async (...asked) => {
    const answer = await call(...asked);
    if (answer.status === 502) throw new TypeError('nobody answered behind the balancer');
    return answer;
  };
}

function clientOf({ fleet, seed, notebook, acknowledged, browsersMax }: State, number: number): ClientStep {
  return createClient({
    number,
    draw: createDraw(seed + 1000 + number),
    call: callOf(fleet),
    notebook,
    count: (name) => void acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1),
    browsersMax,
  });
}

/** One thing after the other. What gets no answer was not acknowledged; that may only be where a service was killed meanwhile. */
async function work(state: State, step: ClientStep): Promise<void> {
  while (!state.isOver) {
    await state.down;
    const { serviceKills, killedAt, fleet } = state;
    const isWhole = performance.now() > killedAt + fleet.mendMs;
    try {
      await step();
    } catch (error) {
      if (state.serviceKills === serviceKills && isWhole)
        state.notebook.fault(`no answer although nothing was killed: ${causeOf(error)}`);
    }
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
  return `${String(error)}${cause}`;
}

/** Any process, or one of a browser in its share of the cases. */
async function victimOf({ fleet, browserShare }: KillsOptions, draw: Draw): Promise<Victim> {
  const victims = await fleet.victims();
  const wanted = draw.chance(browserShare) ? 'chromium' : 'service';
  const fitting = victims.filter(({ kind }) => (kind === 'chromium') === (wanted === 'chromium'));
  return draw.of(fitting.length > 0 ? fitting : victims);
}

/** Answers how long it took until clients were served again, in milliseconds. */
async function killAndRestore(state: State, victim: Victim): Promise<number> {
  const { fleet } = state;
  const { promise, resolve } = Promise.withResolvers<void>();
  if (victim.kind !== 'chromium') {
    state.serviceKills += 1;
    state.killedAt = performance.now();
    // Where others go on, clients do too.
    if (fleet.mendMs === 0) state.down = promise;
  }
  await fleet.kill(victim);
  const begun = performance.now();
  await fleet.restore();
  // It mends from here on: a busy machine takes long to start what was missing.
  if (victim.kind !== 'chromium') state.killedAt = performance.now();
  state.down = null;
  resolve();
  return performance.now() - begun;
}

/** Reads back the newest facts and some of the others, while clients go on. */
async function lookBack(state: State, draw: Draw): Promise<void> {
  const { notebook, fleet } = state;
  const { facts } = notebook;
  const older = facts.slice(0, -looked);
  const some: Fact[] = older.length === 0 ? [] : draw.list([looked, looked], () => draw.of(older));
  await notebook.readBack(callOf(fleet), [...facts.slice(-looked), ...new Set(some)], true);
  for (const orphan of await fleet.orphans()) notebook.fault(orphan);
}

/** Waits until everything that ends has ended; what does not is a fault. */
export async function waitForTasks({ notebook, fleet }: Pick<State, 'notebook' | 'fleet'>): Promise<void> {
  const until = performance.now() + tasksEndMs;
  const call = callOf(fleet);
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

/** What has to end by itself. */
const tasks = new Set(['v4 run', 'v2 task', 'v4 message']);
