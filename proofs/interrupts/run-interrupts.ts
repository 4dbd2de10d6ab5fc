import { defaultRules } from '../../src/contract/rule-book.ts';
import { createAgent } from '../../src/cli/serve/create-agent.ts';
import { startRealBackend } from '../../test/support/start-real-backend.ts';
import { createDraw } from '../draw.ts';
import { type Lane, oneInterrupt } from './one-interrupt.ts';
import { createTracedModels } from './traced-model.ts';
import { type TracedWeb, startTracedWeb } from './traced-web.ts';

/** Options of the interrupts. */
export interface InterruptsOptions {
  readonly interrupts: number;
  /** Equal seeds yield equal work, ends and moments in each lane; their exact timing depends on the machine. */
  readonly seed: number;
  /** Number of concurrently interrupted sessions. */
  readonly lanes: number;
  /** Time after which no interrupt begins. @defaultValue no limit */
  readonly minutes?: number;
  /** Called after every 25 interrupts. @defaultValue not called */
  readonly progress?: (line: string) => void;
}

/** Result of the interrupts. */
export interface InterruptsResult {
  readonly done: number;
  /** Number of interrupts by work and end. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of tasks that had ended before their interrupt. */
  readonly early: number;
  /** Number of requests to the web server and the model provider. */
  readonly requests: number;
  /** Durations of the next runs, and response times of ending requests, in milliseconds. */
  readonly followedMs: readonly number[];
  readonly answeredMs: readonly number[];
  /** Foreign effects, one sentence each. */
  readonly faults: readonly string[];
}

/** Interrupts tasks of a service with Chromium at random moments, and checks what the next runs see. */
export async function runInterrupts(options: InterruptsOptions): Promise<InterruptsResult> {
  const { interrupts, seed, lanes, minutes = Number.POSITIVE_INFINITY, progress } = options;
  await using owned = new AsyncDisposableStack();
  const web = await startTracedWeb();
  owned.defer(() => web.close());
  const service = await startRealBackend({
    allow: [web.host],
    models: createTracedModels(web.origin),
    agent: createAgent(defaultRules, { testTasks: false }),
    verifyEveryNth: 1_000,
  });
  owned.defer(() => service.stop());
  const [counts, faults] = [new Map<string, number>(), new Array<string>()];
  const [followedMs, answeredMs] = [new Array<number>(), new Array<number>()];
  const until = performance.now() + minutes * 60_000;
  const begun = new Map<string, number>();
  let [next, done, early] = [0, 0, 0];
  const work = async (number: number): Promise<void> => {
    const lane: Lane = { number, web, service, draw: createDraw(seed + number), session: null, begun };
    while (next < interrupts && performance.now() < until) {
      next += 1;
      const found = await oneInterrupt(lane);
      done += 1;
      for (const name of found.names) counts.set(name, (counts.get(name) ?? 0) + 1);
      if (found.wasEarly) early += 1;
      if (found.followedMs !== null) followedMs.push(found.followedMs);
      if (found.answeredMs !== null) answeredMs.push(found.answeredMs);
      faults.push(...found.faults);
      for (const fault of found.faults) progress?.(`  ${fault}`);
      if (done % 25 === 0) progress?.(`${done} of ${interrupts}, ${faults.length} faults`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => work(number)));
  faults.push(...lateRequests(web, begun));
  return { done, counts, early, requests: web.requests.length, followedMs, answeredMs, faults };
}

/** Returns requests of runs that arrived after the start of the next run or the end of their session, however late. */
function lateRequests({ requests }: TracedWeb, begun: ReadonlyMap<string, number>): string[] {
  return requests.flatMap(({ run, path, arrivedAt }) => {
    const next = begun.get(run);
    if (next === undefined || arrivedAt <= next) return [];
    return [`${path} was requested ${Math.round(arrivedAt - next)} ms after the run behind it had begun`];
  });
}
