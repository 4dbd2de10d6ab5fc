import { models } from '#generated/rules.ts';
import { acceptedParamCells, type ParamCell, refusedParamCells } from './param-cells.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import type { JobApi, JobSnapshot } from '../core/apis.ts';
import { jobPhase, type JobKind, unendableReason, unwatchableReason } from '../core/job-target.ts';
import { identifier, type JsonObject, type JsonValue, memberAt, objectWith, toText } from '../core/json.ts';
import { tryCredentials } from './credentials.ts';
import type { ScenarioContext, Scenario } from '../core/scenario.ts';
import { type Bystander, besideBrowser } from './observed-browser.ts';
import { createEventReader, type EventPart, type EventRead, type EventReader } from './event-reads.ts';
import { createJob, isOver, JobRefused, lookSettled, type ObservedJob, watchJob } from './observed-job.ts';
import { ifTestable } from '../core/outcome.ts';
import type { RequestSpec } from '../core/request.ts';
import { isOwnTask, withLongAnswer } from './target-facts.ts';
import { numbered, numberedTask } from './watched-jobs.ts';
import { probeTask, refusedPair, runBody, runCeiling, runProbe, taskProbe } from './probe-bodies.ts';

/**
 * A task or run that was polled until its end or the task deadline. If the target offers no read operation, the job is
 * stopped at once and has no snapshots.
 */
export interface OneShotJob extends ObservedJob {
  /**
   * Reads of the run's events in chronological order. Empty for a V2 task, and if the target names no operation for
   * events.
   */
  events: EventRead[];
  /** The first events of a V4 run that has ended, read a few at a time. */
  eventParts?: readonly EventPart[] | undefined;
  /**
   * Requests that must be refused, for an existing session. Undefined without a session that these requests could name.
   */
  refusals?: SessionRefusals | undefined;
  /** The run with empty modelParams that follows a V4 run; undefined for a V2 task, and without a read operation. */
  later?: LaterRun | undefined;
  /**
   * An earlier V2 task that the list shows as completed, fetched before this job and after the end of this job;
   * undefined without such a task.
   */
  bygone?: { before: Exchange; after: Exchange } | undefined;
  /** A standalone browser that was active during a V4 run; undefined for a V2 task, and without browsers. */
  bystander?: Bystander | undefined;
  /**
   * Snapshot of the ended job after a late request to stop it, whatever the answer to that request was; undefined if no
   * end was seen, and without a stop operation.
   */
  lateStopped?: JobSnapshot | undefined;
}

/** A V4 run with empty modelParams in the session of an ended run, if the target accepts a further run. */
export interface LaterRun {
  /**
   * A word that only the task of this run contains. Undefined if the task text has no marker, or if the result of the
   * earlier run did not show the marker of the earlier task.
   */
  marker: string | undefined;
  /** Answer to the creation of the run with empty modelParams. */
  created: Exchange;
  /**
   * Response to a creation with a value that must be refused, sent right after the creation with empty modelParams;
   * undefined if the target did not accept the creation with empty modelParams.
   */
  refusedAfter: Exchange | undefined;
  /**
   * Answer to the creation of the run without modelParams, if the target refused empty modelParams for the session and
   * then accepted this creation; undefined otherwise.
   */
  bare: Exchange | undefined;
  /** Observations of the run until its end; undefined if no created run continues the session. */
  watched: WatchedLater | undefined;
}

/** A later run of a V4 session that was polled until its end. */
export interface WatchedLater extends ObservedJob {
  events: EventRead[];
  /** Fetches of the record of the earlier run, while the later run worked and after the end of the later run. */
  earlier: Exchange[];
}

/** Requests for an existing session that must be refused. */
export interface SessionRefusals {
  /** Response to a model and level (V2), or a parameter value (V4), that the model does not support. */
  cell: Exchange;
  /**
   * Response to a V4 run with a parameter value that the model of the session's earlier run supports, and the model of
   * this run does not.
   */
  ofEarlier: { exchange: Exchange; cell: ParamCell } | undefined;
  /** Response to a V2 task with a word that is no level; undefined in V4. */
  unlisted: Exchange | undefined;
  /** Response to a V4 run without a task; undefined in V2, where the contract does not require a refusal. */
  withoutTask: Exchange | undefined;
  /** Fetches of the session before and after the refused requests; undefined if the target offers no fetch. */
  session: { before: Exchange; after: Exchange } | undefined;
}

/** Creates one V2 task from a text alone. Records it until its end. */
export const oneShotTask: Scenario<OneShotJob> = {
  name: 'one-shot-task',
  creates: 'one V2 task that succeeds',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => unendableReason(target, 'task'),
  // A task of another scenario has the same text: a creation must not answer with an earlier task of the same text.
  run: (context) => {
    const task = withLongAnswer(context.target, numberedTask(context, 1));
    return context.live(() => driveOne(context, 'task', { task }));
  },
};

/** Options of a job that is watched until its end. */
export interface OneShotOptions {
  /** A task that succeeds. */
  task: string;
  /** Called after the creation of a job that will be polled; awaited before the first snapshot. */
  created?: () => Promise<void>;
  /** Called when a V4 run has ended and a later run was created in its session, before the later run is polled. */
  continued?: () => void;
}

/**
 * Creates a job and records it until its end. If the job is a V4 run, its creation has no modelParams; after its end, a
 * second run with empty modelParams is created in the same session, or in a new one if the target refuses that.
 */
export async function driveOne(
  context: ScenarioContext,
  kind: JobKind,
  { task, created, continued = () => undefined }: OneShotOptions,
): Promise<OneShotJob> {
  const { target, jobs } = context;
  const body = kind === 'run' ? runBody(target, task) : { task };
  if (unwatchableReason(target, kind) !== undefined) return endAtOnce(jobs[kind], body);
  context.deadlines.assertWorthStarting(kind);
  const earlier = await fetchBygone(context, kind);
  const drive = (): ReturnType<typeof driveToEnd> => driveToEnd(context, kind, { body, created });
  const { done: job, bystander } =
    kind === 'run' ? await besideBrowser(context, drive) : { done: await drive(), bystander: undefined };
  const { id, dispatched, looks, after, reader } = job;
  const sessionId = memberAt(dispatched.json, 'sessionId');
  await tryCredentials(context, [
    ...(['record', 'status', 'stop'] as const).map((operation) => jobs[kind].request(operation, id)),
    kind === 'run' ? messageRequest(context, sessionId) : undefined,
  ]);
  const refusals = await tryRefusals(context, kind, sessionId);
  const later = kind === 'run' ? await continueRun(context, { ...job, sessionId }, continued) : undefined;
  const bygone = earlier && { before: earlier.exchange, after: await context.send(earlier.spec) };
  const events = await readEarlierEvents(reader, later);
  const lateStopped = await stopLate(jobs[kind], job);
  return { id, dispatched, looks, after, ...events, refusals, later, bygone, bystander, lateStopped };
}

/**
 * Sends a request to stop a job that has ended, and returns a snapshot of the job after that request; undefined if the
 * job cannot be read.
 */
async function stopLate(jobs: JobApi, { id, looks }: ObservedJob): Promise<JobSnapshot | undefined> {
  if (jobs.request('stop', id) === undefined || !looks.some((look) => isOver(look))) return undefined;
  await jobs.stop(id);
  return ifTestable(() => jobs.look(id));
}

/**
 * Returns all reads of the events of a run. If a later run followed, reads the events once more, because a later run
 * must not change them.
 */
async function readEarlierEvents(
  reader: EventReader | undefined,
  later: LaterRun | undefined,
): Promise<Pick<OneShotJob, 'events' | 'eventParts'>> {
  if (later !== undefined) await reader?.readAll();
  return { events: reader?.reads ?? [], eventParts: reader?.parts };
}

/**
 * Fetches a V2 task that the list shows as completed; undefined without such a task, without a list, and for a V4 run.
 */
async function fetchBygone(
  { jobs, send }: ScenarioContext,
  kind: JobKind,
): Promise<{ spec: RequestSpec; exchange: Exchange } | undefined> {
  if (kind === 'run') return undefined;
  const job = jobs.task.target();
  const list = jobs.task.request('list', '');
  if (list === undefined || job.list === null) return undefined;
  const items = memberAt((await send(list)).json, job.list.items);
  const completed = (Array.isArray(items) ? items : []).filter((item) => jobPhase(job, item) === 'completed');
  const [id] = completed.flatMap((item) => identifier(memberAt(item, 'id')) ?? []);
  const spec = id === undefined ? undefined : jobs.task.request('record', id);
  return spec === undefined ? undefined : { spec, exchange: await send(spec) };
}

interface EarlierRun extends ObservedJob {
  sessionId: JsonValue | undefined;
}

/**
 * Digit that follows the stamp of the suite's run in the task of a later run. No other task of this run has the same
 * digit.
 */
const laterNumber = 4;

/**
 * Returns the task text of a later run, and the word that only this task contains. If the result of the earlier run
 * showed the marker of its task, the task succeeds and has a marker of its own. Otherwise the task is the failing task
 * that the target file defines itself, or else the succeeding task; the marker is then undefined.
 */
function laterTask(context: ScenarioContext, earlier: ObservedJob): { task: string; marker: string | undefined } {
  const { target, stamp } = context;
  const { fail, succeed } = target.tasks;
  if (succeed.includes(stamp) && earlier.after.some(({ result }) => toText(result).includes(stamp)))
    return { task: numberedTask(context, laterNumber), marker: numbered(stamp, laterNumber) };
  return { task: fail !== null && isOwnTask(target, 'fail') ? fail : succeed, marker: undefined };
}

/**
 * Creates a run with empty modelParams in the session of the earlier run, or in a new session if the target refuses
 * that. At most one run is accepted, because each further creation follows a refusal.
 */
async function continueRun(context: ScenarioContext, earlier: EarlierRun, continued: () => void): Promise<LaterRun> {
  const jobs = context.jobs.run;
  const { sessionId } = earlier;
  const { target } = context;
  const { task, marker } = laterTask(context, earlier);
  const body = { ...runBody(target, task), ...runCeiling(target) };
  if (typeof sessionId !== 'string' || !earlier.looks.some(isOver))
    return { ...(await tryEmptyParams(context, body)), marker, watched: undefined };
  const created = await jobs.create({ ...body, sessionId, modelParams: {} });
  if (succeeded(created)) {
    continued();
    const refusedAfter = await sendRefusedCell(context, 'run', {});
    return { created, refusedAfter, bare: undefined, marker, watched: await watchLater(context, earlier, created) };
  }
  const bare = await jobs.create({ ...body, sessionId });
  if (succeeded(bare)) {
    continued();
    return { created, refusedAfter: undefined, bare, marker, watched: await watchLater(context, earlier, bare) };
  }
  return { ...(await tryEmptyParams(context, body)), marker, watched: undefined };
}

/** Creates a run with empty modelParams in a new session, and ends it at once. */
async function tryEmptyParams(
  context: ScenarioContext,
  body: JsonObject,
): Promise<Omit<LaterRun, 'watched' | 'marker'>> {
  const { exchange: created } = await context.jobs.run.trial({ ...body, modelParams: {} });
  const refusedAfter = succeeded(created) ? await sendRefusedCell(context, 'run', {}) : undefined;
  return { created, refusedAfter, bare: undefined };
}

async function watchLater(
  context: ScenarioContext,
  { id: earlierId }: EarlierRun,
  dispatched: Exchange,
): Promise<WatchedLater | undefined> {
  const jobs = context.jobs.run;
  const id = jobs.readId(dispatched);
  if (id === undefined) return undefined;
  const reader = createEventReader(context, id);
  const record = jobs.request('record', earlierId);
  const earlier: Exchange[] = [];
  const lookBack = async (): Promise<void> => {
    if (record !== undefined) earlier.push(await context.send(record));
  };
  const looks = await watchJob(context, jobs, {
    id,
    until: isOver,
    deadlineMs: context.target.polling.taskDeadlineMs,
    beside: lookBack,
  });
  const after = await lookSettled(context, jobs, id);
  await reader?.readOn();
  await reader?.readToEnd();
  await lookBack();
  return { id, dispatched, looks, after, events: reader?.reads ?? [], earlier };
}

async function driveToEnd(
  context: ScenarioContext,
  kind: JobKind,
  { body, created }: { body: JsonObject; created: OneShotOptions['created'] },
): Promise<ObservedJob & { reader: EventReader | undefined }> {
  const jobs = context.jobs[kind];
  const { id, dispatched } = await createNamed(jobs, body);
  await created?.();
  const reader = kind === 'run' ? createEventReader(context, id) : undefined;
  const looks = await watchJob(context, jobs, {
    id,
    until: isOver,
    deadlineMs: context.target.polling.taskDeadlineMs,
    beside: () => readBeside(reader),
  });
  const after = await lookSettled(context, jobs, id);
  await reader?.readOn();
  await reader?.readToEnd();
  await reader?.readParts();
  // Events may appear late. Only a complete read after the parts is sure to contain all events of the parts.
  await reader?.readAll();
  await reader?.readOn();
  return { id, dispatched, looks, after, reader };
}

/** Model of a V2 task on a target that requires a model. The contract does not state that the model is optional. */
const requiredModel = 'svc-2.0';

/** Creates a job. If a V2 task is refused because it names no model, creates the task again with a model. */
async function createNamed(jobs: JobApi, body: JsonObject): ReturnType<typeof createJob> {
  try {
    return await createJob(jobs, body);
  } catch (error) {
    const isRefused = error instanceof JobRefused && error.exchange.status === 422 && !('llm' in body);
    if (!isRefused || jobs.target().kind === 'run' || !error.exchange.body.includes('"llm"')) throw error;
    return createJob(jobs, { ...body, llm: requiredModel });
  }
}

/** Returns the request that sends a task to the queue of a V4 session; undefined without a session or a queue. */
function messageRequest({ operations }: ScenarioContext, sessionId: JsonValue | undefined): RequestSpec | undefined {
  if (typeof sessionId !== 'string') return undefined;
  return operations.request('v4.createMessage', { path: [sessionId], body: { text: probeTask } });
}

/** Sends requests that must be refused: for a new idle session (V2), or for the session of the ended run (V4). */
async function tryRefusals(
  context: ScenarioContext,
  kind: JobKind,
  sessionId: JsonValue | undefined,
): Promise<SessionRefusals | undefined> {
  const own = kind === 'task' ? await openIdleSession(context) : undefined;
  const id = own ?? sessionId;
  const refusals = typeof id === 'string' ? await sendRefusals(context, kind, id) : undefined;
  const opened = own === undefined ? undefined : context.ledger.find('session', own);
  if (opened !== undefined) await context.resources.end(opened);
  return refusals;
}

async function sendRefusals(context: ScenarioContext, kind: JobKind, sessionId: string): Promise<SessionRefusals> {
  const operation = kind === 'task' ? 'v2.getSession' : 'v4.getSession';
  const isShown = context.target.operations !== null && context.operations.offers(operation);
  const look = async (): Promise<Exchange | undefined> =>
    isShown ? context.operations.call(operation, { path: [sessionId] }) : undefined;
  const before = await look();
  const cell = await sendRefusedCell(context, kind, { sessionId });
  const ofEarlier = kind === 'run' ? await sendValueOfEarlier(context, sessionId) : undefined;
  const unlisted = kind === 'task' ? await sendUnlistedLevel(context, sessionId) : undefined;
  const withoutTask = kind === 'run' ? await sendRunWithoutTask(context, sessionId) : undefined;
  if (kind === 'task' && isShown) await stopWithoutKey(context, sessionId);
  const after = await look();
  return {
    cell,
    ofEarlier,
    unlisted,
    withoutTask,
    session: before === undefined || after === undefined ? undefined : { before, after },
  };
}

/** Tries to stop a V2 session without a key. */
async function stopWithoutKey({ operations, send }: ScenarioContext, sessionId: string): Promise<void> {
  const spec = operations.request('v2.updateSession', { path: [sessionId], body: { action: 'stop' } });
  if (spec !== undefined) await send({ ...spec, key: 'none' });
}

function sendUnlistedLevel({ resources }: ScenarioContext, sessionId: string): Promise<Exchange> {
  const body = { ...taskProbe(), sessionId, thinkingLevel: 'xhigh' };
  return resources.probe('task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body });
}

function sendRunWithoutTask({ resources, target }: ScenarioContext, sessionId: string): Promise<Exchange> {
  const { task: _task, ...rest } = runProbe(target);
  const body = { ...rest, sessionId };
  return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
}

/**
 * Returns a cell of another model with a value that this other model refuses and the model `earlier` accepts; undefined
 * without such a cell.
 */
export function findEarlierCell(earlier: string): ParamCell | undefined {
  const accepted = acceptedParamCells().filter(({ model }) => model === earlier);
  const isAccepted = ({ path, value }: ParamCell): boolean =>
    accepted.some((one) => one.path === path && one.value === value);
  return refusedParamCells().find((one) => one.model !== earlier && one.supported.length > 1 && isAccepted(one));
}

/**
 * Sends a run with a value that the model of the earlier run accepts and the model of this run refuses. Returns
 * undefined if no such value exists.
 */
async function sendValueOfEarlier(
  { resources, target }: ScenarioContext,
  sessionId: string,
): Promise<SessionRefusals['ofEarlier']> {
  const cell = findEarlierCell(models.v4.recommended.model);
  if (cell === undefined) return undefined;
  const value = { model: cell.model, modelParams: objectWith(cell.path, cell.value) };
  const body = { ...runProbe(target), sessionId, ...value };
  const place = { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs' } as const;
  return { exchange: await resources.probe('run', { ...place, body }), cell };
}

/** Opens a separate session. The session of a V2 task may have ended with it and would then refuse every task. */
async function openIdleSession(context: ScenarioContext): Promise<string | undefined> {
  if (context.target.operations === null || !context.operations.offers('v2.createSession')) return undefined;
  const created = await context.operations.create('session', 'v2.createSession', { body: {} });
  return succeeded(created) ? identifier(memberAt(created.json, 'id')) : undefined;
}

/** Sends a creation with a value that must be refused, and with further members. The seed chooses the value. */
export async function sendRefusedCell(
  { resources, target, seed }: ScenarioContext,
  kind: JobKind,
  members: JsonObject,
): Promise<Exchange> {
  if (kind === 'run') {
    const body = { ...runProbe(target), ...members, ...refusedPair('v4', seed) };
    return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
  }
  const body = { ...taskProbe(), ...members, ...refusedPair('v2', seed) };
  return resources.probe('task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body });
}

async function endAtOnce(jobs: JobApi, body: JsonObject): Promise<OneShotJob> {
  const { exchange } = await jobs.trial(body);
  if (!succeeded(exchange)) throw new JobRefused(jobs.target().kind, exchange);
  return { id: '', dispatched: exchange, looks: [], after: [], events: [] };
}

/** Mixes reads from the cursor with complete reads, which must agree while the run works. */
async function readBeside(reader: EventReader | undefined): Promise<void> {
  if (reader === undefined) return;
  await (reader.reads.length % 3 === 2 ? reader.readAll() : reader.readOn());
}
