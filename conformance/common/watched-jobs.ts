import { type Exchange, succeeded } from '../core/exchange.ts';
import type { JobSnapshot } from '../core/apis.ts';
import type { CheckContext } from '../core/check.ts';
import { type JobKind, unwatchableReason } from '../core/job-target.ts';
import { type JsonObject, toText } from '../core/json.ts';
import { ifTestable } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { isOver, lookSettled, watchJob } from './observed-job.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { show } from '../core/text.ts';
import { isControlled, isOwnTask } from './target-facts.ts';

/**
 * A job that was created while other jobs may work. It was polled until its end if the target offers a read operation.
 */
export interface WatchedJob {
  /** Text for messages that describes the request members with which the job was created. */
  key: string;
  /** A word that only the task of this job contains; undefined if the task text of the target file has no `{run}`. */
  marker: string | undefined;
  /**
   * Digits in the markers of earlier jobs in the same session. The result of this job may contain these markers.
   * @defaultValue none
   */
  earlier?: readonly number[];
  created: Exchange;
  /** Snapshots from polling, in order; empty if the job was not created or cannot be read. */
  looks: JobSnapshot[];
  /** Snapshots of the record after the end of the job; empty if no end was seen. */
  after: JobSnapshot[];
}

/** Input of {@link watchBeside}. */
export interface WatchedCreation {
  key: string;
  /** Digit that no other job of the scenario has. It is the last character of the marker in the task. */
  number: number;
  /** Members of the request besides the task. */
  members: JsonObject;
  /** Digits in the markers of the earlier jobs in the session in which the job is created. @defaultValue none */
  earlier?: readonly number[];
  /** Called after the job was created, before it is polled. */
  created?: (exchange: Exchange) => Promise<void>;
}

/**
 * Creates a job with the task that succeeds, and polls it until its end. Each job has its own marker in its task, so
 * that the results of several jobs can be distinguished. A job that cannot be read, or misses its deadline, is stopped.
 */
export async function watchBeside(
  context: ScenarioContext,
  kind: JobKind,
  { key, number, members, earlier = [], created: noted }: WatchedCreation,
): Promise<WatchedJob> {
  const { target, stamp } = context;
  const jobs = context.jobs[kind];
  const marker = target.tasks.succeed.includes(stamp) ? numbered(stamp, number) : undefined;
  const body = { task: numberedTask(context, number), ...members };
  if (target.stateless || unwatchableReason(target, kind) !== undefined) {
    const { exchange: created } = await retryWhileBusy(context, () => jobs.trial(body));
    await noted?.(created);
    return { key, marker, earlier, created, looks: [], after: [] };
  }
  const created = await retryWhileBusy(context, () => jobs.create(body));
  await noted?.(created);
  const id = succeeded(created) ? jobs.readId(created) : undefined;
  const snapshots = id === undefined ? { looks: [], after: [] } : await lookToEnd(context, kind, id);
  return { key, marker, earlier, created, ...snapshots };
}

async function lookToEnd(
  context: ScenarioContext,
  kind: JobKind,
  id: string,
): Promise<Pick<WatchedJob, 'looks' | 'after'>> {
  const jobs = context.jobs[kind];
  // Other checks judge failed reads.
  const looks = (await ifTestable(() => watchUntilEnd(context, kind, id))) ?? [];
  if (looks.some((look) => isOver(look)))
    return { looks, after: (await ifTestable(() => lookSettled(context, jobs, id))) ?? [] };
  if (jobs.request('stop', id) !== undefined) await jobs.stop(id);
  return { looks, after: [] };
}

/**
 * Creates a function that two jobs call before they start, so that they start together. Its promise resolves when both
 * have called it, or after the start deadline. On a target that allows only one session at a time, its promise resolves
 * at once.
 */
export function createMeeting(context: ScenarioContext): () => Promise<void> {
  const { polling, limits } = context.target;
  const meeting = { arrived: 0 };
  return async () => {
    meeting.arrived += 1;
    const deadline = context.nowMs() + polling.startDeadlineMs;
    while (meeting.arrived < 2 && limits.sessionsAtOnce > 1 && context.nowMs() < deadline)
      await context.pause(polling.intervalMs);
  };
}

/** Returns the marker of one of at most ten jobs: the stamp of the run and a digit. */
export function numbered(stamp: string, number: number): string {
  return `${stamp}n${number}`;
}

/** Returns the text of the task that succeeds, with a digit after each stamp of the run that the text contains. */
export function numberedTask({ target, stamp }: ScenarioContext, number: number): string {
  return target.tasks.succeed.replaceAll(stamp, numbered(stamp, number));
}

function watchUntilEnd(context: ScenarioContext, kind: JobKind, id: string): Promise<JobSnapshot[]> {
  const { taskDeadlineMs } = context.target.polling;
  return watchJob(context, context.jobs[kind], { id, until: isOver, deadlineMs: taskDeadlineMs });
}

/**
 * Judges that every watched job ended before the task deadline. Judges only a controlled target, and a target whose
 * tasks have missed their deadlines so often that no further job of this kind may start.
 */
export function expectEnds(t: CheckContext, kind: JobKind, watched: readonly WatchedJob[]): void {
  if (!t.deadlines.isGivenUp(kind) && !isControlled(t.target)) return;
  for (const { key, looks } of watched) {
    const last = looks.at(-1);
    if (last === undefined || last.phase === 'unknown') continue;
    const message = `polling showed that a ${kind} with ${key} was ${show(last.status)} after ${t.target.polling.taskDeadlineMs} ms; expected the end of the ${kind}`;
    t.expect(isOver(last), { exchange: last.exchange, message });
  }
}

/**
 * Judges the result of each job. A result without the marker of its own job must not contain the marker of another job
 * of the same scenario, except an earlier job of the same session.
 */
export function expectOwnResults(
  t: CheckContext,
  kind: JobKind,
  watched: readonly Pick<WatchedJob, 'key' | 'marker' | 'earlier' | 'after'>[],
): void {
  for (const { key, marker, earlier = [], after } of watched) {
    const last = after.at(-1);
    const result = toText(last?.result);
    if (marker === undefined || last === undefined) continue;
    const words = digits.filter((digit) => !earlier.includes(digit)).map((digit) => `${marker.slice(0, -1)}${digit}`);
    const other = result.includes(marker) ? undefined : words.find((word) => result.includes(word));
    const message = `the result of a ${kind} with ${key} has the word ${other}, which only the task of another ${kind} has: ${result.slice(0, 160)}; expected the outcome of its own task`;
    t.expect(other === undefined, { exchange: last.exchange, message });
  }
}

const digits: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * Returns true if the job runs a task that the target file defines itself, has ended without completion, and has cost
 * less than its ceiling.
 */
export function hasFailed({ target }: CheckContext, job: WatchedJob): boolean {
  const last = lastLook(job);
  if (last?.phase !== 'ended' || !isOwnTask(target, 'succeed')) return false;
  const cost = typeof last.cost === 'string' ? Number(last.cost) : 0;
  return cost < Number(target.limits.ceilingUsd);
}

/** Returns true if the last poll of a job shows its completion. */
export function hasCompleted({ looks }: WatchedJob): boolean {
  return looks.at(-1)?.phase === 'completed';
}

/** Returns the last snapshot of a job; undefined without one. */
export function lastLook({ looks, after }: WatchedJob): JobSnapshot | undefined {
  return [...looks, ...after].at(-1);
}
