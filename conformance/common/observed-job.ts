import { levelCells, refusedParamCells } from './cells.ts';
import { describeAnswer, type Exchange, succeeded } from '../core/exchange.ts';
import type { JobApi, JobSnapshot } from '../core/apis.ts';
import { type JobKind, whyUnstoppable, whyUnwatchable } from '../core/job-target.ts';
import { identifier, type JsonObject, type JsonValue, memberAt, objectWith } from '../core/json.ts';
import { sample } from '../core/random.ts';
import { tryCredentials } from './credentials.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../core/scenario.ts';
import { type Bystander, besideBrowser } from './observed-browser.ts';
import { createEventReader, type EventRead, type EventReader } from './event-reads.ts';
import type { RequestSpec } from '../core/request.ts';
import { probeTask, runBody, runProbe, taskProbe } from './probe-bodies.ts';

/** A task or run from its request to its end. */
export interface ObservedJob {
  id: string;
  /** Answer to the creation request. */
  dispatched: Exchange;
  /** Snapshots from polling, in order; never empty. */
  looks: JobSnapshot[];
  /** Snapshots of the record after polling had ended, in order; never empty. */
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
  const id = jobs.idOf(dispatched);
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

/** Polls the status until a condition holds, the job has ended or the deadline has passed. */
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

/** Returns true if a snapshot shows the end of the job. */
export function isOver({ phase }: JobSnapshot): boolean {
  return phase === 'completed' || phase === 'ended';
}

/** A V2 task with alternating snapshots of its status and its record. */
export interface FollowedTask {
  id: string;
  request: JsonObject;
  created: Exchange;
  /** Snapshots of the status view, in order; never empty. */
  statuses: JobSnapshot[];
  /** Snapshots of the record, each taken after one of the status; never empty. */
  records: JobSnapshot[];
}

/** Creates a V2 task and takes one snapshot of each view. Throws JobRefused or JobWithoutId. */
export async function beginTask(context: ScenarioContext, request: JsonObject): Promise<FollowedTask> {
  const { id, dispatched } = await createJob(context.jobs.task, request);
  const task: FollowedTask = { id, request, created: dispatched, statuses: [], records: [] };
  await observeTask(context, task);
  return task;
}

/** Creates a V2 task and polls it until its end. */
export async function runToEnd(context: ScenarioContext, request: JsonObject): Promise<FollowedTask> {
  const task = await beginTask(context, request);
  await follow(context, task, { deadlineMs: context.target.polling.taskDeadlineMs });
  return task;
}

/** Options for following a task. */
export interface FollowOptions {
  deadlineMs: number;
  /** Returns true for the record that ends polling. @defaultValue polling continues until the task ends */
  until?: (last: JobSnapshot) => boolean;
}

/** Polls a task until it has ended, a condition holds or the deadline has passed. */
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

/**
 * A task or run that ended by itself. If the target offers no read operation, the job has no snapshots and was stopped
 * at once.
 */
export interface OneShotJob extends ObservedJob {
  /**
   * Reads of its events in chronological order. Empty for a V2 task, and if the target names no operation for events.
   */
  events: EventRead[];
  /** Requests that must be refused, for an existing session. Undefined if the creation names no session. */
  refusals?: SessionRefusals | undefined;
  /** A standalone browser beside a V4 run; undefined for a V2 task, and without browsers. */
  bystander?: Bystander | undefined;
}

/** Requests for an existing session that must be refused. */
export interface SessionRefusals {
  /** A pair or value that the model does not support. */
  cell: Exchange;
  /** A V4 run without a task; undefined in V2, where the contract does not require one. */
  withoutTask: Exchange | undefined;
  /** The session before and after these requests; undefined if the target offers no fetch. */
  session: { before: Exchange; after: Exchange } | undefined;
}

/** Creates one V4 run without modelParams. Records it and its events until its end. */
export const oneShotRun: Scenario<OneShotJob> = {
  ...oneShot('run'),
  name: 'one-shot-run',
  creates: 'one V4 run with a task that succeeds, and a browser beside it',
  browsers: () => 1,
};

/** Creates one V2 task from a text alone. Records it until its end. */
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
    unavailable: (target) => (whyUnwatchable(target, kind) === undefined ? undefined : whyUnstoppable(target, kind)),
    run: (context) => context.live(() => driveOne(context, kind)),
  };
}

async function driveOne(context: ScenarioContext, kind: JobKind): Promise<OneShotJob> {
  const { target, jobs } = context;
  const body = kind === 'run' ? runBody(target, target.tasks.succeed) : { task: target.tasks.succeed };
  if (whyUnwatchable(target, kind) !== undefined) return endAtOnce(jobs[kind], body);
  context.deadlines.assertWorthStarting(kind);
  const { done: job, bystander } =
    kind === 'run'
      ? await besideBrowser(context, () => driveToEnd(context, kind, body))
      : { done: await driveToEnd(context, kind, body), bystander: undefined };
  const { id, dispatched, looks, after, reader } = job;
  const sessionId = memberAt(dispatched.json, 'sessionId');
  await tryCredentials(context, [
    ...(['record', 'status', 'stop'] as const).map((operation) => jobs[kind].request(operation, id)),
    kind === 'run' ? messageRequest(context, sessionId) : undefined,
  ]);
  const refusals = await tryRefusals(context, kind, sessionId);
  return { id, dispatched, looks, after, events: reader?.reads ?? [], refusals, bystander };
}

async function driveToEnd(
  context: ScenarioContext,
  kind: JobKind,
  body: JsonObject,
): Promise<ObservedJob & { reader: EventReader | undefined }> {
  const jobs = context.jobs[kind];
  const { id, dispatched } = await createJob(jobs, body);
  const reader = kind === 'run' ? createEventReader(context, id) : undefined;
  const looks = await watchJob(context, jobs, {
    id,
    until: isOver,
    deadlineMs: context.target.polling.taskDeadlineMs,
    beside: () => readBeside(reader),
  });
  const after = await lookAfter(jobs, id);
  await reader?.readOn();
  await reader?.readAll();
  await reader?.readAll();
  // The reads from cursors must together have shown the events of a complete read.
  await reader?.readOn();
  return { id, dispatched, looks, after, reader };
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

async function sendRefusals(
  context: ScenarioContext,
  kind: JobKind,
  sessionId: string,
): Promise<SessionRefusals | undefined> {
  const operation = kind === 'task' ? 'v2.getSession' : 'v4.getSession';
  const isShown = context.target.operations !== null && context.operations.offers(operation);
  const look = async (): Promise<Exchange | undefined> =>
    isShown ? context.operations.call(operation, { path: [sessionId] }) : undefined;
  const before = await look();
  const cell = await sendRefusedCell(context, kind, { sessionId });
  if (cell === undefined) return undefined;
  const withoutTask = kind === 'run' ? await sendRunWithoutTask(context, sessionId) : undefined;
  const after = await look();
  return {
    cell,
    withoutTask,
    session: before === undefined || after === undefined ? undefined : { before, after },
  };
}

function sendRunWithoutTask({ resources, target }: ScenarioContext, sessionId: string): Promise<Exchange> {
  const { task: _task, ...rest } = runProbe(target);
  const body = { ...rest, sessionId };
  return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
}

// Opens a separate session. The session of a V2 task may have ended with it and would then refuse every task.
async function openIdleSession(context: ScenarioContext): Promise<string | undefined> {
  if (context.target.operations === null || !context.operations.offers('v2.createSession')) return undefined;
  const created = await context.operations.create('session', 'v2.createSession', { body: {} });
  return succeeded(created) ? identifier(memberAt(created.json, 'id')) : undefined;
}

/** Sends a cell that must be refused, with further members. The seed chooses the cell. */
export async function sendRefusedCell(
  { resources, target, seed }: ScenarioContext,
  kind: JobKind,
  members: JsonObject,
): Promise<Exchange | undefined> {
  if (kind === 'run') {
    const [cell] = sample(refusedParamCells(), 1, seed);
    if (cell === undefined) return undefined;
    const value = { model: cell.model, modelParams: objectWith(cell.path, cell.value) };
    const body = { ...runProbe(target), ...members, ...value };
    return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
  }
  const refusedPairs = levelCells('v2').filter(({ accepted }) => !accepted);
  const [cell] = sample(refusedPairs, 1, seed);
  if (cell === undefined) return undefined;
  const body = { ...taskProbe(), ...members, llm: cell.model, thinkingLevel: cell.level };
  return resources.probe('task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body });
}

async function endAtOnce(jobs: JobApi, body: JsonObject): Promise<OneShotJob> {
  const { exchange } = await jobs.trial(body);
  if (!succeeded(exchange)) throw new JobRefused(jobs.target().kind, exchange);
  return { id: '', dispatched: exchange, looks: [], after: [], events: [] };
}

// Mixes reads from the cursor with complete reads, which must agree while the run works.
async function readBeside(reader: EventReader | undefined): Promise<void> {
  if (reader === undefined) return;
  await (reader.reads.length % 3 === 2 ? reader.readAll() : reader.readOn());
}
