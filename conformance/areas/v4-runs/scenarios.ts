import { type Exchange, wasRejected } from '../../core/exchange.ts';
import { type JsonObject, memberAt, objectWith } from '../../core/json.ts';
import type { Target } from '../../core/target.ts';
import type { JobApi, JobSnapshot } from '../../core/apis.ts';
import { type JobKind, unstoppableReason, unwatchableReason } from '../../core/job-target.ts';
import type { RequestSpec } from '../../core/request.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { type EventRead, createEventReader } from '../../common/event-reads.ts';
import { type ObservedJob, createJob, isOver, lookAfter, watchJob } from '../../common/observed-job.ts';
import { findEarlierCell, sendRefusedCell } from '../../common/one-shot-job.ts';
import { type Bystander, besideBrowser } from '../../common/observed-browser.ts';
import { runBody, runCeiling } from '../../common/probe-bodies.ts';

/** A slow task or run that was ended while it was running. */
export interface InterruptedJob extends ObservedJob {
  /** Snapshots of the record in quick succession while it worked; empty for a V2 task. */
  reads: JobSnapshot[];
  /** The snapshot right before the stop operation. */
  before: JobSnapshot;
  /** The refusal of another creation while the job worked, and the snapshot after it; undefined if none was sent. */
  refused: { exchange: Exchange; look: JobSnapshot } | undefined;
  /**
   * The snapshot after the target refused to stop the job without a key; undefined if it did not refuse this request,
   * or the job had ended before.
   */
  keyless: JobSnapshot | undefined;
  stopped: Exchange;
  /** Reads of its events in chronological order; empty for a V2 task. */
  events: EventRead[];
  /** The creation of a run without modelParams in the session of the ended run; undefined if none was sent. */
  follower: Follower | undefined;
  /** A standalone browser that was active during a V2 task; undefined for a V4 run, and without browsers. */
  bystander: Bystander | undefined;
}

/**
 * A second run in a session, without modelParams and with another model. The first run had a value that this model
 * does not support.
 */
export interface Follower {
  model: string;
  created: Exchange;
}

/**
 * Creates one V4 run and cancels it while it is running. Records its events, and a run of another model in the same
 * session.
 */
export const interruptedRun: Scenario<InterruptedJob> = {
  ...interrupted('run'),
  name: 'interrupted-run',
  creates: 'one V4 run with a slow task that is cancelled while it works, and a run in its session, cancelled at once',
  dispatches: 2,
};

/** Creates one V2 task and stops it while it is running. */
export const interruptedTask: Scenario<InterruptedJob> = {
  ...interrupted('task'),
  name: 'interrupted-task',
  creates: 'one V2 task with a slow goal that is stopped while it works, and a browser beside it',
  browsers: () => 1,
};

function interrupted(kind: JobKind): Omit<Scenario<InterruptedJob>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 1,
    stateful: true,
    unavailable: (target) =>
      target.tasks.slow === null
        ? 'the target file names no slow goal (tasks.slow)'
        : (unwatchableReason(target, kind) ?? unstoppableReason(target, kind)),
    run: (context) =>
      context.live(async () => {
        if (kind === 'run') {
          const run = await interrupt(context, context.jobs.run);
          return { ...run, follower: await follow(context, run.dispatched), bystander: undefined };
        }
        const { done, bystander } = await besideBrowser(context, () => interrupt(context, context.jobs.task));
        return { ...done, follower: undefined, bystander };
      }),
  };
}

async function interrupt(
  context: ScenarioContext,
  jobs: JobApi,
): Promise<Omit<InterruptedJob, 'bystander' | 'follower'>> {
  const { target } = context;
  const isRun = jobs.target().kind === 'run';
  const task = String(target.tasks.slow);
  const { id, dispatched } = await createJob(jobs, isRun ? slowRun(target) : { task, llm: 'svc-2.0' });
  const reader = isRun ? createEventReader(context, id) : undefined;
  const looks = await watchJob(context, jobs, { id, until: seenTwice(), deadlineMs: target.polling.startDeadlineMs });
  await reader?.readOn();
  const reads = await readOften(jobs, id);
  const beside = await sendRefusedCell(context, isRun ? 'run' : 'task', {});
  const refused = beside === undefined ? undefined : { exchange: beside, look: await jobs.look(id) };
  const isDenied = await stopWithoutKey(context, jobs.request('stop', id));
  const before = await jobs.look(id);
  const wasEnded = refused !== undefined && isOver(refused.look);
  const keyless = isDenied && !wasEnded ? before : undefined;
  const stopped = await jobs.stop(id);
  looks.push(...(await watchJob(context, jobs, { id, until: isOver, deadlineMs: target.polling.settleDeadlineMs })));
  const after = await lookAfter(jobs, id);
  await reader?.readToEnd();
  return { id, dispatched, looks, reads, refused, keyless, before, stopped, after, events: reader?.reads ?? [] };
}

/** Number of consecutive reads of a running run; a client rarely makes more before the run ends. */
const quickReads = 5;

/** Reads a V4 run several times in succession; does nothing for a V2 task. */
async function readOften(jobs: JobApi, id: string): Promise<JobSnapshot[]> {
  const reads: JobSnapshot[] = [];
  if (jobs.target().kind === 'task') return reads;
  for (let read = 0; read < quickReads; read += 1) reads.push(await jobs.look(id));
  return reads;
}

/** Sends the stop operation without a key. Returns true if the target refused it. */
async function stopWithoutKey({ send }: ScenarioContext, request: RequestSpec | undefined): Promise<boolean> {
  return request !== undefined && wasRejected(await send({ ...request, key: 'none' }));
}

/** Returns a slow run with a value that the model of a later run does not support. */
function slowRun(target: Target): JsonObject {
  const cell = findEarlierCell();
  const params = cell === undefined ? {} : { modelParams: objectWith(cell.path, cell.value) };
  return { ...runBody(target, String(target.tasks.slow)), ...runCeiling(target), ...params };
}

/**
 * Creates a run in the session of an ended run, and ends it at once. Returns undefined if the answer to the ended run's
 * creation names no session.
 */
async function follow(context: ScenarioContext, ended: Exchange): Promise<Follower | undefined> {
  const cell = findEarlierCell();
  const sessionId = memberAt(ended.json, 'sessionId');
  if (cell === undefined || typeof sessionId !== 'string') return undefined;
  const { model } = cell;
  const body = { ...runBody(context.target, context.target.tasks.succeed), ...runCeiling(context.target) };
  const { exchange: created } = await context.jobs.run.trial({ ...body, sessionId, model });
  return { model, created };
}

// Two snapshots while it works: a single one may come before any work.
function seenTwice(): (look: JobSnapshot) => boolean {
  let seen = 0;
  return () => {
    seen += 1;
    return seen >= 2;
  };
}
