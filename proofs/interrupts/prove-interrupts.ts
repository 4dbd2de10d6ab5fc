import { currentCommit } from '../../tools/measure/evidence.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { table } from '../../tools/pages/markdown.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createAgent } from '../../src/cli/serve/create-agent.ts';
import { startRealBackend } from '../../test/support/start-real-backend.ts';
import { createDraw } from '../draw.ts';
import { type Lane, oneInterrupt } from './one-interrupt.ts';
import { createTracedModels } from './traced-model.ts';
import { type TracedWeb, startTracedWeb } from './traced-web.ts';

type Wanted = Omit<InterruptsOptions, 'progress' | 'lanes'> & { readonly jobs: number };

/**
 * Interrupts tasks and writes docs/evidence/interrupts.md. Returns false when a run saw an effect of the previous task,
 * or when the time limit was reached before all interrupts were done.
 */
export async function proveInterrupts({ interrupts, seed, minutes, jobs }: Wanted): Promise<boolean> {
  const lanes = jobs * 2;
  const command = `npm run long -- interrupts --interrupts ${interrupts} --seed ${seed} --jobs ${jobs}${minutes === undefined || minutes === Number.POSITIVE_INFINITY ? '' : ` --minutes ${minutes}`}`;
  console.log(command);
  const commit = currentCommit();
  const begun = performance.now();
  const bounds = minutes === undefined ? {} : { minutes };
  const result = await runInterrupts({ interrupts, seed, lanes, ...bounds, progress: console.log });
  const seconds = Math.round((performance.now() - begun) / 1000);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/interrupts.md', interruptsPage(result, { command, commit, lanes, seconds }));
  console.log(`${result.done} interrupts, ${result.faults.length} faults: docs/evidence/interrupts.md`);
  return result.done === interrupts && result.faults.length === 0;
}

interface Ran {
  readonly command: string;
  readonly commit: string;
  readonly lanes: number;
  readonly seconds: number;
}

function interruptsPage(result: InterruptsResult, { command, commit, lanes, seconds }: Ran): string {
  const { done, early, requests, counts, faults, answeredMs, followedMs } = result;
  const text = [
    '# Interrupts',
    `Written by \`${command}\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    `${done} tasks of a service with real Chromium were ended at random moments, in ${lanes} sessions at a time; ` +
      `${faults.length} faults in ${seconds} s. ${early} of the tasks ended by themselves before.`,
    'Each task works on a slow web server, which records the run that caused each request ' +
      `(${requests} in all, with the calls of the model provider). The next run of the session visits a marked page. A fault is: ` +
      'a marked page that is not reached, or shows an input or event of another run; a file that the run did not download; ' +
      'a request of the earlier run that arrives after the first request of the next run, or is still pending then.',
    `An end was answered after ${spread(answeredMs)}. The next run took ${spread(followedMs)} from its request to its end.`,
    table(
      ['What was interrupted, and how', 'Times'],
      [...counts]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : ['## Faults', faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
  return `${text.join('\n\n')}\n`;
}

/** Formats median, 95th percentile and maximum. */
function spread(times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (maximum)`;
}

/** Options of the interrupts. */
interface InterruptsOptions {
  readonly interrupts: number;
  /**
   * The seed determines the tasks of each lane, the way in which each task is ended, and the delay before its end. The
   * actual timing depends on the machine.
   */
  readonly seed: number;
  /** Number of sessions whose tasks are interrupted at the same time. */
  readonly lanes: number;
  /** Minutes after which no further interrupt begins. @defaultValue no limit */
  readonly minutes?: number;
  /** Called for each fault and after every 25 interrupts. @defaultValue not called */
  readonly progress?: (line: string) => void;
}

/** Result of the interrupts. */
interface InterruptsResult {
  readonly done: number;
  /** Number of interrupts by kind of work and by the way in which the task was ended. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of tasks that had ended before their interrupt. */
  readonly early: number;
  /** Number of requests to the web server and the model provider. */
  readonly requests: number;
  /**
   * Durations of the next runs, in milliseconds. `answeredMs` contains the response times of the requests that ended a
   * task.
   */
  readonly followedMs: readonly number[];
  readonly answeredMs: readonly number[];
  /** Effects of interrupted runs on later runs, and late requests of interrupted runs, one sentence each. */
  readonly faults: readonly string[];
}

/**
 * Ends tasks of a service with Chromium at random moments or by a limit, and checks that the next runs see no effect of
 * these tasks.
 */
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

/**
 * Returns a fault for each request of an interrupted run that arrived after the start of the next run or the end of the
 * session, however late.
 */
function lateRequests({ requests }: TracedWeb, begun: ReadonlyMap<string, number>): string[] {
  return requests.flatMap(({ run, path, arrivedAt }) => {
    const next = begun.get(run);
    if (next === undefined || arrivedAt <= next) return [];
    return [`${path} was requested ${Math.round(arrivedAt - next)} ms after the run behind it had begun`];
  });
}
