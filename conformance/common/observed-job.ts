import { describeAnswer, type Exchange, succeeded } from '../core/exchange.ts';
import type { JobApi, JobSnapshot } from '../core/apis.ts';
import type { JobKind } from '../core/job-target.ts';
import type { JsonObject } from '../core/json.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { readSettled } from './target-facts.ts';

/** A task or run from its request to its end. */
export interface ObservedJob {
  id: string;
  /** Answer to the creation request. */
  dispatched: Exchange;
  /** Snapshots that were taken while the job was polled, in order; empty if the target offers no read operation. */
  looks: JobSnapshot[];
  /** Snapshots of the record after the last poll, in order; empty if the target offers no read operation. */
  after: JobSnapshot[];
}

/** Thrown when the task or run of a scenario was not created. */
export class JobRefused extends NotTestable {
  readonly exchange: Exchange;

  constructor(kind: JobKind, exchange: Exchange) {
    super(
      `creation of a ${kind} ${describeAnswer(exchange)}${exchange.body === '' ? '' : `: ${exchange.body.slice(0, 160)}`}`,
    );
    this.exchange = exchange;
  }
}

/** Thrown when a successful creation returns no id, so that the resource cannot be read. */
export class JobWithoutId extends NotTestable {
  readonly exchange: Exchange;

  constructor(kind: JobKind, exchange: Exchange) {
    super(`the answer to the creation of a ${kind} carries no id where the target file says it stands`);
    this.exchange = exchange;
  }
}

/** Creates a task or run. Throws JobRefused or JobWithoutId. */
export async function createJob(jobs: JobApi, body: JsonObject): Promise<{ id: string; dispatched: Exchange }> {
  const dispatched = await jobs.create(body);
  const { kind } = jobs.target();
  if (!succeeded(dispatched)) throw new JobRefused(kind, dispatched);
  const id = jobs.readId(dispatched);
  if (id === undefined) throw new JobWithoutId(kind, dispatched);
  return { id, dispatched };
}

/** Options for polling a job. */
export interface WatchOptions {
  id: string;
  until(look: JobSnapshot): boolean;
  deadlineMs: number;
  /** Called after every snapshot, for additional reads. */
  beside?: () => Promise<void>;
}

/**
 * Polls the status until a condition holds, the job has ended or the deadline has passed. Returns every snapshot, at
 * least one. Counts a missed deadline if `deadlineMs` is the task deadline of the target.
 */
export async function watchJob(context: ScenarioContext, jobs: JobApi, options: WatchOptions): Promise<JobSnapshot[]> {
  const deadline = context.nowMs() + options.deadlineMs;
  const looks: JobSnapshot[] = [];
  for (;;) {
    const look = await jobs.look(options.id, { view: 'status' });
    looks.push(look);
    await options.beside?.();
    if (options.until(look) || isOver(look)) return looks;
    if (context.nowMs() > deadline) {
      if (options.deadlineMs === context.target.polling.taskDeadlineMs)
        context.deadlines.noteMissed(jobs.target().kind);
      return looks;
    }
    await context.pause(context.target.polling.intervalMs);
  }
}

/** Returns three snapshots of the record. */
export async function lookAfter(jobs: JobApi, id: string): Promise<JobSnapshot[]> {
  return [await jobs.look(id), await jobs.look(id), await jobs.look(id)];
}

/**
 * Returns three snapshots of the record of an ended job. The result of a completed run may appear later, so its record
 * is first polled until it shows a result or the settle deadline has passed.
 */
export async function lookSettled(context: ScenarioContext, jobs: JobApi, id: string): Promise<JobSnapshot[]> {
  const lacksResult = ({ phase, result }: JobSnapshot): boolean => phase === 'completed' && (result ?? null) === null;
  const isTask = jobs.target().kind === 'task';
  const settled = await readSettled(
    context,
    () => jobs.look(id),
    (look) => isTask || !lacksResult(look),
  );
  return [settled, await jobs.look(id), await jobs.look(id)];
}

/** Returns true if a snapshot shows the end of the job. */
export function isOver({ phase }: JobSnapshot): boolean {
  return phase === 'completed' || phase === 'ended';
}

/** A V2 task whose status and whole record were fetched in turn. */
export interface FollowedTask {
  id: string;
  request: JsonObject;
  created: Exchange;
  /** Snapshots of the status view, in order; never empty. */
  statuses: JobSnapshot[];
  /** Snapshots of the record, each taken after a snapshot of the status; never empty. */
  records: JobSnapshot[];
}

/** Creates a V2 task and takes one snapshot of each view. Throws JobRefused or JobWithoutId. */
export async function beginTask(context: ScenarioContext, request: JsonObject): Promise<FollowedTask> {
  const { id, dispatched } = await createJob(context.jobs.task, request);
  const task: FollowedTask = { id, request, created: dispatched, statuses: [], records: [] };
  await observeTask(context, task);
  return task;
}

/** Creates a V2 task and polls it until its end or the task deadline. Throws JobRefused or JobWithoutId. */
export async function runToEnd(context: ScenarioContext, request: JsonObject): Promise<FollowedTask> {
  const task = await beginTask(context, request);
  await follow(context, task, { deadlineMs: context.target.polling.taskDeadlineMs });
  return task;
}

/** Options for following a task. */
export interface FollowOptions {
  deadlineMs: number;
  /** Returns true for a record after which polling stops. @defaultValue polling stops when the task has ended */
  until?: (last: JobSnapshot) => boolean;
}

/** Polls both views of a task until both show the end, a condition holds or the deadline has passed. */
export async function follow(
  context: ScenarioContext,
  task: FollowedTask,
  { deadlineMs, until = () => false }: FollowOptions,
): Promise<void> {
  const deadline = context.nowMs() + deadlineMs;
  for (let last = task.records.at(-1); last !== undefined; last = task.records.at(-1)) {
    if (hasShownEnd(task) || until(last) || context.nowMs() > deadline) return;
    await context.pause(context.target.polling.intervalMs);
    await observeTask(context, task);
  }
}

/** Returns true when both views have shown the end. */
function hasShownEnd({ statuses, records }: FollowedTask): boolean {
  return [statuses.at(-1), records.at(-1)].every((last) => last !== undefined && isOver(last));
}

async function observeTask(context: ScenarioContext, task: FollowedTask): Promise<void> {
  task.statuses.push(await context.jobs.task.look(task.id, { view: 'status' }));
  task.records.push(await context.jobs.task.look(task.id));
}
