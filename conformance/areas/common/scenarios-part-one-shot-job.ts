import type { JobApi } from '../../ledger/job-api.ts';
import { type JobKind, unstoppable, unwatchable } from '../../core/job-target.ts';
import type { JsonObject } from '../../core/json.ts';
import { succeeded } from '../../core/exchange.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type EventReader, type EventRead, createEventReader } from './event-reads.ts';
import { JobRefused, type ObservedJob, createJob, isOver, lookAfter, watchJob } from './scenarios-part-observed-job.ts';
import { runBody } from './probe-bodies.ts';

/** A task or run that was left to end by itself. Without looks where the target names no way to look: it was then ended at once. */
export interface OneShotJob extends ObservedJob {
  /** Reads of its events in order of time; empty for a V2 task and where the target names no operation for them. */
  events: EventRead[];
}

/** One V4 run without modelParams. */
export const oneShotRun: Scenario<OneShotJob> = {
  ...oneShot('run'),
  name: 'one-shot-run',
  creates: 'one V4 run with a task that succeeds',
};

/** One V2 task with a goal and nothing else. */
export const oneShotTask: Scenario<OneShotJob> = {
  ...oneShot('task'),
  name: 'one-shot-task',
  creates: 'one V2 task that succeeds',
};

function oneShot(kind: JobKind): Omit<Scenario<OneShotJob>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 1,
    stateful: true,
    unavailable: (target) => (unwatchable(target, kind) === undefined ? undefined : unstoppable(target, kind)),
    drive: (drive) => drive.live(() => driveOne(drive, kind)),
  };
}

async function driveOne(drive: Drive, kind: JobKind): Promise<OneShotJob> {
  const { target, jobs } = drive;
  const body = kind === 'run' ? runBody(target, target.tasks.succeed) : { task: target.tasks.succeed };
  if (unwatchable(target, kind) !== undefined) return endAtOnce(jobs[kind], body);
  const { id, dispatched } = await createJob(jobs[kind], body);
  const reader = kind === 'run' ? createEventReader(drive, id) : undefined;
  const deadlineMs = target.polling.taskDeadlineMs;
  const looks = await watchJob(drive, jobs[kind], { id, until: isOver, deadlineMs, beside: () => readBeside(reader) });
  const after = await lookAfter(jobs[kind], id);
  await reader?.readOn();
  await reader?.readAll();
  await reader?.readAll();
  // What a whole read has shown, whoever follows the cursor has to have seen.
  await reader?.readOn();
  return { id, dispatched, looks, after, events: reader?.reads ?? [] };
}

async function endAtOnce(jobs: JobApi, body: JsonObject): Promise<OneShotJob> {
  const { exchange } = await jobs.trial(body);
  if (!succeeded(exchange)) throw new JobRefused(jobs.target().kind, exchange);
  return { id: '', dispatched: exchange, looks: [], after: [], events: [] };
}

// What is read on has to agree with what is read again, also while the run works.
async function readBeside(reader: EventReader | undefined): Promise<void> {
  if (reader === undefined) return;
  await (reader.reads.length % 3 === 2 ? reader.readAll() : reader.readOn());
}
