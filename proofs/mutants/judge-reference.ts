import { readFileSync } from 'node:fs';
import { type RunResult, parseTarget, run, runVerdict } from '#conformance/index.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type BackendChanges, startBackend, testKey } from '../../test/support/start-backend.ts';

/** Result of one run of the suite against a changed reference. */
export interface Judgement {
  /**
   * `caught`: the run found a violation, or the service refused every request for an operation; `survived`: the run
   * passed; `fatal`: the service did not start, died or hung; `unjudged`: the run ended with a fault of the suite or
   * without a verdict.
   */
  readonly result: 'caught' | 'survived' | 'fatal' | 'unjudged';
  /** Ids of the requirements that failed. */
  readonly failing: readonly string[];
  /** Message of the first failure, or the reason for a result without a failure; empty when the run passed. */
  readonly note: string;
}

/** A mutated reference backend and the options of its run. */
export interface Judged extends Pick<BackendChanges, 'around'> {
  readonly seed: number;
  /** Rule tables of the reference. @defaultValue the tables of the contract */
  readonly rules?: RuleBook;
  /**
   * `sample` judges some cells of each requirement, `full` judges all cells.
   * @defaultValue `sample`, as in `svc check`
   */
  readonly matrix?: 'sample' | 'full';
  /**
   * Called between the run and the stop of the service, so that a mutant cannot prevent the stop. @defaultValue not
   * called
   */
  readonly onJudged?: () => void;
}

/** Deadline for the stop of a service, in milliseconds. */
const stopMs = 5000;
/** Time limit of a run in milliseconds; a run usually takes a second. A run that reaches the limit has no verdict. */
const runMs = 120_000;

/**
 * Starts the reference with simulated browsers and judges it like `svc check --spend task --max-failures 1` with
 * default settings. `hasStopped` is false when the service did not stop. This process must then not judge another
 * mutant.
 */
export async function judgeReference(judged: Judged): Promise<Judgement & { readonly hasStopped: boolean }> {
  const { around, onJudged = () => undefined } = judged;
  // A copy for each run, so that no cache keyed by the tables outlives a mutant.
  const rules = structuredClone(judged.rules ?? defaultRules);
  const more = around === undefined ? {} : { around };
  const started = await startBackend({ rules, ...more, verifyEveryNth: Number.MAX_SAFE_INTEGER });
  const judgement = await judge(started, judged).finally(onJudged);
  return { ...judgement, hasStopped: await hasEnded(started.stop()) };
}

async function judge(
  { address, control }: { readonly address: string; readonly control: string },
  { seed, matrix = 'sample' }: Judged,
): Promise<Judgement> {
  const report = await run({
    target: parseTarget({ url: address, text: targetText(control) }),
    apiKey: testKey,
    spend: 'task',
    matrix,
    maxFailures: 1,
    timeLimitMs: runMs,
    seed,
  });
  const results: Partial<Record<RunResult, Judgement['result']>> = { failed: 'caught', passed: 'survived' };
  const failing = report.requirements.filter(({ failures }) => failures.length > 0);
  const { result, text } = runVerdict(report);
  const isBlocked = report.ended === 'complete' && result === 'incomplete';
  const error = report.requirements.find(({ verdict }) => verdict === 'error')?.reason;
  return {
    result: isBlocked ? 'caught' : (results[result] ?? 'unjudged'),
    failing: failing.map(({ id }) => id),
    note: (failing[0]?.failures[0]?.message ?? (result === 'passed' ? '' : `${text} ${error ?? ''}`)).slice(0, 300),
  };
}

/** Returns the target file of the reference, with deadlines for simulated browsers on a loaded machine. */
function targetText(control: string): string {
  const polling = 'intervalMs: 3\n  startDeadlineMs: 20000\n  taskDeadlineMs: 20000\n  settleDeadlineMs: 5000';
  const text = readFileSync('examples/targets/reference.yaml', 'utf8')
    .replace(/intervalMs: \d+/, polling)
    .replace(/slow \d+/, 'slow 1');
  return `${text}control: ${control}\nv4: { browsers: { drivable: false } }\n`;
}

async function hasEnded(stop: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), stopMs);
  });
  const ended = stop.then(
    () => true,
    () => false,
  );
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}
