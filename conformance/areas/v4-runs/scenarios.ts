import { models } from '#generated/rules.ts';
import { sample } from '../../core/random.ts';
import { acceptedParamCells, type ParamCell } from '../../common/param-cells.ts';
import { type Exchange, wasRejected } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt, objectWith } from '../../core/json.ts';
import type { Target } from '../../core/target.ts';
import type { JobApi, JobSnapshot } from '../../core/apis.ts';
import { type JobKind, unendableReason, unstoppableReason, unwatchableReason } from '../../core/job-target.ts';
import { notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { RequestSpec } from '../../core/request.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  type DirectRun,
  readRunViews,
  type RunViews,
  sendDirectRun,
  viewOperations,
} from '../v4-sessions/scenarios.ts';
import { type Attempts, tryRun } from '../tenancy/scenarios.ts';
import { type EventRead, createEventReader } from '../../common/event-reads.ts';
import { type ObservedJob, createJob, isOver, lookAfter, watchJob } from '../../common/observed-job.ts';
import { driveOne, findEarlierCell, type OneShotJob, sendRefusedCell } from '../../common/one-shot-job.ts';
import { levelCells } from '../../common/level-cells.ts';
import { type Bystander, besideBrowser } from '../../common/observed-browser.ts';
import { runBody, runCeiling } from '../../common/probe-bodies.ts';
import { withLongAnswer } from '../../common/target-facts.ts';
import { numbered, numberedTask, watchBeside, type WatchedJob } from '../../common/watched-jobs.ts';

/** A slow task or run that was ended while it was running. */
export interface InterruptedJob extends ObservedJob {
  /** Snapshots of the record in quick succession while the run worked; empty for a V2 task. */
  reads: JobSnapshot[];
  /** Snapshot of the job right before the stop operation. */
  before: JobSnapshot;
  /** The refusal of another creation while the job worked, and the snapshot of the job after this refusal. */
  refused: { exchange: Exchange; look: JobSnapshot };
  /**
   * Another run that was sent for the session of the working run; undefined if it was not sent. Only the profile `full`
   * sends it.
   */
  direct: DirectRun | undefined;
  /**
   * Returns the attempts of another project on the run that works; undefined for a V2 task, and without the key of
   * another project. Throws the error that prevented an attempt.
   */
  foreign: () => Attempts | undefined;
  /**
   * Snapshot of the job after the target refused to stop it without a key; undefined if the target did not refuse this
   * request, or the job had ended before.
   */
  keyless: JobSnapshot | undefined;
  stopped: Exchange;
  /** Reads of the run's events in chronological order; empty for a V2 task. */
  events: EventRead[];
  /** The creation of a run without modelParams in the session of the ended run; undefined if no such run was sent. */
  follower: Follower | undefined;
  /**
   * A standalone browser that was active during a V2 task and the stop of its session; undefined for a V4 run, and
   * without browsers.
   */
  bystander: Bystander | undefined;
}

/**
 * A second run in a session, without modelParams and with another model. The first run had a value that this model
 * does not support. The second run is polled to its end beside the later run of the other session; if there is no such
 * run, it is ended at once and has no snapshots.
 */
export interface Follower extends WatchedJob {
  model: string;
}

/** One V4 run that was watched until its end, and a second run that was cancelled. */
export interface RunPair extends OneShotJob {
  /**
   * A word that only the task of the first run contains; undefined if the task text of the target file has no `{run}`.
   */
  marker: string | undefined;
  /**
   * Returns the run that was cancelled. It was created right after the first run, unless the target allows only one
   * session at a time. Throws the error that prevented the cancelled run, for example NotTestable if the target file
   * names no slow task.
   */
  interrupted: () => InterruptedJob;
  /**
   * Returns the views of the first run and its session, read after the end of the later run. Undefined in the profile
   * `documented`, if the target does not offer these views, and if no later run has ended. Throws the error that
   * prevented a read.
   */
  views: () => RunViews | undefined;
}

/**
 * Creates one V4 run and records it until its end, with its events and a later run of its session. Beside it, creates a
 * run with a slow task and cancels it.
 */
export const oneShotRun: Scenario<RunPair> = {
  name: 'one-shot-run',
  creates:
    'one V4 run that succeeds, a slow one beside it that is cancelled, a later run in both sessions, and a browser',
  spend: 'task',
  dispatches: 4,
  browsers: () => 1,
  stateful: true,
  unavailable: (target) => unendableReason(target, 'run'),
  run: (context) => context.live(() => drivePair(context)),
};

/** Creates one V2 task and stops it while it is running; then stops its session. */
export const interruptedTask: Scenario<InterruptedJob> = {
  name: 'interrupted-task',
  creates: 'one V2 task with a slow goal that is stopped while it works, and a browser beside it',
  spend: 'task',
  dispatches: 1,
  browsers: () => 1,
  stateful: true,
  unavailable: (target) => uninterruptibleReason(target, 'task'),
  run: (context) =>
    context.live(async () => {
      const { done, bystander } = await besideBrowser(context, async () => {
        const task = await interrupt(context, 'task');
        await stopSession(context, task.dispatched);
        return task;
      });
      return { ...done, follower: undefined, bystander };
    }),
};

/**
 * Stops the session that the answer to the creation of a V2 task names. Does nothing if the answer names no session or
 * the target does not offer the stop.
 */
async function stopSession({ operations, send }: ScenarioContext, dispatched: Exchange): Promise<void> {
  const id = identifier(memberAt(dispatched.json, 'sessionId'));
  const call = { path: [id ?? ''], body: { action: 'stop' } };
  const spec = id === undefined ? undefined : operations.request('v2.updateSession', call);
  if (spec !== undefined) await send(spec);
}

/** Returns the reason why the suite cannot end a job of this kind while the job works; undefined if it can. */
export function uninterruptibleReason(target: Target, kind: JobKind): string | undefined {
  if (target.tasks.slow === null) return 'the target file names no slow goal (tasks.slow)';
  return unwatchableReason(target, kind) ?? unstoppableReason(target, kind);
}

async function drivePair(context: ScenarioContext): Promise<RunPair> {
  const { target, stamp } = context;
  const marker = target.tasks.succeed.includes(stamp) ? numbered(stamp, 5) : undefined;
  const task = withLongAnswer(target, numberedTask(context, 5));
  if (target.limits.sessionsAtOnce < 2) {
    const run = await driveOne(context, 'run', { task });
    return withViews(context, { ...run, marker, interrupted: await settle(() => interruptRun(context)) });
  }
  // The place for the second run is reserved before the first run exists. A later reservation could be granted after
  // the end of the first run.
  return context.live(async () => {
    const beside: Promise<RunPair['interrupted']>[] = [];
    const later = Promise.withResolvers<boolean>();
    // The snapshots of the first run begin when the second run exists, so that they show the first run beside the
    // second one.
    const created = (): Promise<void> =>
      new Promise((resolve) => {
        const interrupted = settle(() => interruptRun(context, { created: resolve, later: later.promise }));
        beside.push(interrupted);
        void interrupted.then(() => resolve());
      });
    try {
      const continued = (): void => later.resolve(true);
      const run = await driveOne(context, 'run', { task, created, continued }).finally(() => later.resolve(false));
      const interrupted = (await beside[0]) ?? (await settle(() => interruptRun(context)));
      return await withViews(context, { ...run, marker, interrupted });
    } finally {
      await Promise.all(beside);
    }
  }, 'first');
}

/** Reads the views of a pair of runs that have ended, beyond the contract. */
async function withViews(context: ScenarioContext, pair: Omit<RunPair, 'views'>): Promise<RunPair> {
  const sessionId = memberAt(pair.dispatched.json, 'sessionId');
  const isEnded = pair.later?.watched?.looks.some((look) => isOver(look)) ?? false;
  const isOffered = context.profile === 'full' && notOffered(context.target, viewOperations) === undefined;
  if (typeof sessionId !== 'string' || !isEnded || !isOffered) return { ...pair, views: () => undefined };
  const first = { id: pair.id, created: pair.dispatched };
  const other = findInterrupted(pair);
  const hasEnded = other?.after.some((look) => isOver(look)) === true;
  const cancelled = hasEnded ? { id: other.id, created: other.dispatched } : undefined;
  return { ...pair, views: await settle(() => readRunViews(context, { sessionId, first, cancelled })) };
}

/** Returns the run that was cancelled; undefined without one. */
export function findInterrupted({ interrupted }: Pick<RunPair, 'interrupted'>): InterruptedJob | undefined {
  try {
    return interrupted();
  } catch (error) {
    if (error instanceof NotTestable) return undefined;
    throw error;
  }
}

/** Performs work. Returns a function that returns the result of the work, or throws its error. */
async function settle<T>(work: () => Promise<T>): Promise<() => T> {
  const [outcome] = await Promise.allSettled([work()]);
  return () => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
}

/** Hooks that coordinate the cancelled run with a run of another session, which works at the same time. */
interface Beside {
  /** Called when the run that will be cancelled has been created. */
  created?: () => void;
  /**
   * Resolves with true when the later run of the other session has been created, and with false if there is no such
   * run.
   */
  later?: Promise<boolean>;
}

/** Creates a run with a slow task, and cancels it. */
async function interruptRun(context: ScenarioContext, { created, later }: Beside = {}): Promise<InterruptedJob> {
  const reason = uninterruptibleReason(context.target, 'run');
  if (reason !== undefined) throw new NotTestable(reason);
  const run = await interrupt(context, 'run', created);
  const isBeside = (await later) ?? false;
  return { ...run, follower: await follow(context, run.dispatched, isBeside), bystander: undefined };
}

async function interrupt(
  context: ScenarioContext,
  kind: JobKind,
  created?: () => void,
): Promise<Omit<InterruptedJob, 'bystander' | 'follower'>> {
  const { target } = context;
  const jobs = context.jobs[kind];
  const isRun = kind === 'run';
  const task = String(target.tasks.slow);
  const { id, dispatched } = await createJob(jobs, isRun ? slowRun(context) : slowTask(context, task));
  created?.();
  const reader = isRun ? createEventReader(context, id) : undefined;
  const looks = await watchJob(context, jobs, { id, until: seenTwice(), deadlineMs: target.polling.startDeadlineMs });
  await reader?.readOn();
  const reads = await readOften(jobs, id);
  const refused = { exchange: await sendRefusedCell(context, kind, {}), look: await jobs.look(id) };
  await sendWithoutKey(context, jobs.request('record', id));
  const isDenied = await sendWithoutKey(context, jobs.request('stop', id));
  const unkeyed = await jobs.look(id);
  const keyless = isDenied && !isOver(refused.look) ? unkeyed : undefined;
  const beyond = isRun ? await tryBeyond(context, id, dispatched) : { direct: undefined, foreign: () => undefined };
  const before = isRun ? await jobs.look(id) : unkeyed;
  const stopped = await jobs.stop(id);
  looks.push(...(await watchJob(context, jobs, { id, until: isOver, deadlineMs: target.polling.settleDeadlineMs })));
  const after = await lookAfter(jobs, id);
  await reader?.readToEnd();
  const events = reader?.reads ?? [];
  return { id, dispatched, looks, reads, refused, ...beyond, keyless, before, stopped, after, events };
}

/**
 * Sends another run for the session of a working run, in a run of the suite with the profile `full`. With the key of
 * another project, also makes the attempts of this project on the working run.
 */
async function tryBeyond(
  context: ScenarioContext,
  id: string,
  dispatched: Exchange,
): Promise<Pick<InterruptedJob, 'direct' | 'foreign'>> {
  const [isFull, hasOther] = [context.profile === 'full', context.otherApiKey !== undefined];
  const [direct, foreign] = await Promise.all([
    settle(async () => (isFull ? sendDirectRun(context, dispatched) : undefined)),
    settle(async () => (hasOther ? tryRun(context, id) : undefined)),
  ]);
  return { direct: direct(), foreign };
}

/** Number of consecutive reads of a running run; a client rarely sends more reads before the run ends. */
const quickReads = 5;

/** Reads a V4 run several times in succession; does nothing for a V2 task. */
async function readOften(jobs: JobApi, id: string): Promise<JobSnapshot[]> {
  const reads: JobSnapshot[] = [];
  if (jobs.target().kind === 'task') return reads;
  for (let read = 0; read < quickReads; read += 1) reads.push(await jobs.look(id));
  return reads;
}

/** Sends a request without a key. Returns true if the target refused it. */
async function sendWithoutKey({ send }: ScenarioContext, request: RequestSpec | undefined): Promise<boolean> {
  return request !== undefined && wasRejected(await send({ ...request, key: 'none' }));
}

/**
 * Draws a model other than the recommended one, and a cell of a further model, which refuses a value that the drawn
 * model accepts.
 */
function drawEarlier(seed: number): { model: string; cell: ParamCell } | undefined {
  const names = [...new Set(acceptedParamCells().map(({ model }) => model))];
  const pairs = names.flatMap((model) => {
    const cell = model === models.v4.recommended.model ? undefined : findEarlierCell(model);
    return cell === undefined ? [] : [{ model, cell }];
  });
  return sample(pairs, 1, seed)[0];
}

/** Digit that follows the stamp of the suite's run in the task text of the slow run. */
const slowNumber = 6;

/**
 * Returns a V2 task. In a run with the profile `full`, it has metadata, which the contract does not show, and a drawn
 * model with a level, because its record must then show this model.
 */
function slowTask({ profile, seed }: ScenarioContext, task: string): JsonObject {
  const plain = { task, llm: 'svc-2.0' };
  if (profile !== 'full') return plain;
  const cells = levelCells('v2').filter(
    ({ model, level, accepted, routed }) => accepted && !routed && level !== 'disabled' && !model.startsWith('svc-'),
  );
  const [cell] = sample(cells, 1, seed);
  const leveled = cell === undefined ? {} : { llm: cell.model, thinkingLevel: cell.level };
  return { ...plain, ...leveled, metadata: { suite: 'svc-check' } };
}

/** Returns the body of a slow run with a value that the model of a later run does not support. */
function slowRun({ target, stamp, seed }: ScenarioContext): JsonObject {
  const earlier = drawEarlier(seed);
  const params = earlier && { model: earlier.model, modelParams: objectWith(earlier.cell.path, earlier.cell.value) };
  const task = String(target.tasks.slow).replaceAll(stamp, numbered(stamp, slowNumber));
  return { ...runBody(target, task), ...runCeiling(target), ...params };
}

/**
 * Creates a run in the session of an ended run. Polls the new run to its end if another run works beside it, and
 * otherwise ends the new run at once. Returns undefined if the answer to the ended run's creation names no session.
 */
async function follow(context: ScenarioContext, ended: Exchange, isBeside: boolean): Promise<Follower | undefined> {
  const sessionId = memberAt(ended.json, 'sessionId');
  const model = drawEarlier(context.seed)?.cell.model;
  if (model === undefined || typeof sessionId !== 'string') return undefined;
  // The text of the first run: a creation must not answer with an earlier run of the same text.
  const number = 5;
  const key = `the model ${model} in the session of a cancelled run`;
  const members = { ...runCeiling(context.target), sessionId, model };
  if (isBeside)
    return { model, ...(await watchBeside(context, 'run', { key, number, members, earlier: [slowNumber] })) };
  const body = { task: numberedTask(context, number), ...members };
  const { exchange: created } = await context.jobs.run.trial(body);
  return { model, key, marker: undefined, created, looks: [], after: [] };
}

/**
 * Returns a function that returns false for the first snapshot of a job and true for each later one. The job is ended
 * only after two snapshots, because the first may come before any work.
 */
function seenTwice(): (look: JobSnapshot) => boolean {
  let seen = 0;
  return () => {
    seen += 1;
    return seen >= 2;
  };
}
