import { defaultRules } from '../../src/contract/rule-book.ts';
import { createAgent } from '../../src/cli/serve/create-agent.ts';
import { startRealBackend } from '../../test/support/start-real-backend.ts';
import { createDraw } from '../draw.ts';
import { type Lane, oneInterrupt } from './one-interrupt.ts';
import { createTracedModels } from './traced-model.ts';
import { type TracedWeb, startTracedWeb } from './traced-web.ts';

/** What is to be done. */
export interface InterruptsOptions {
  readonly interrupts: number;
  /** The same seed draws the same work, ends and moments in each lane; what else the machine does still decides when. */
  readonly seed: number;
  /** Sessions that are interrupted at the same time. */
  readonly lanes: number;
  /** No interrupt is begun after this time. @defaultValue all are done */
  readonly minutes?: number;
  /** Told after every 25 interrupts. @defaultValue not told */
  readonly progress?: (line: string) => void;
}

/** What was done and found. */
export interface InterruptsResult {
  readonly done: number;
  /** What was interrupted and how, by name. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many tasks had come to their end before their interrupt. */
  readonly early: number;
  /** Requests that the web server and the model provider had of all runs. */
  readonly requests: number;
  /** How long the following runs took from their request to their end, and the ends of tasks to be answered, in milliseconds. */
  readonly followedMs: readonly number[];
  readonly answeredMs: readonly number[];
  /** Sentences, one for each foreign effect. */
  readonly faults: readonly string[];
}

/** Interrupts tasks of a service with real Chromium at random moments, and looks at what the run after each of them sees. */
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

/** Requests of runs that came when the run after them, or the end of their session, had come: also those that came much later. */
function lateRequests({ requests }: TracedWeb, begun: ReadonlyMap<string, number>): string[] {
  return requests.flatMap(({ run, path, arrivedAt }) => {
    const next = begun.get(run);
    if (next === undefined || arrivedAt <= next) return [];
    return [`${path} was requested ${Math.round(arrivedAt - next)} ms after the run behind it had begun`];
  });
}
