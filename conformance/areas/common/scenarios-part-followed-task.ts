import type { Exchange } from '../../core/exchange.ts';
import type { JobLook } from '../../ledger/job-api.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { createJob, isOver } from './scenarios-part-observed-job.ts';

/** A V2 task whose record and status were looked at side by side. */
export interface FollowedTask {
  id: string;
  request: JsonObject;
  created: Exchange;
  /** Looks at the status view, in order; never empty. */
  statuses: JobLook[];
  /** Looks at the record, each right after one at the status; never empty. */
  records: JobLook[];
}

/** Creates a V2 task and looks at it once. Throws JobRefused and JobWithoutId. */
export async function beginTask(drive: Drive, request: JsonObject): Promise<FollowedTask> {
  const { id, dispatched } = await createJob(drive.jobs.task, request);
  const task: FollowedTask = { id, request, created: dispatched, statuses: [], records: [] };
  await look(drive, task);
  return task;
}

/** Creates a V2 task and follows it to its end. */
export async function runToEnd(drive: Drive, request: JsonObject): Promise<FollowedTask> {
  const task = await beginTask(drive, request);
  await follow(drive, task, { deadlineMs: drive.target.polling.taskDeadlineMs });
  return task;
}

/** How far a task is followed. */
export interface FollowOptions {
  deadlineMs: number;
  /** Judges the last look at the record. @defaultValue only its end is waited for */
  until?: (last: JobLook) => boolean;
}

/** Looks at a task until it has ended, a condition holds or the deadline has passed. */
export async function follow(
  drive: Drive,
  task: FollowedTask,
  { deadlineMs, until = () => false }: FollowOptions,
): Promise<void> {
  const deadline = drive.nowMs() + deadlineMs;
  for (let last = task.records.at(-1); last !== undefined; last = task.records.at(-1)) {
    if (hasShownEnd(task) || until(last) || drive.nowMs() > deadline) return;
    await drive.pause(drive.target.polling.intervalMs);
    await look(drive, task);
  }
}

/** True when both views have shown the end. */
function hasShownEnd({ statuses, records }: FollowedTask): boolean {
  return [statuses.at(-1), records.at(-1)].every((last) => last !== undefined && isOver(last));
}

async function look(drive: Drive, task: FollowedTask): Promise<void> {
  task.statuses.push(await drive.jobs.task.look(task.id, { view: 'status' }));
  task.records.push(await drive.jobs.task.look(task.id));
}
