import { levelCells, refusedParamCells } from './cells.ts';
import { describeAnswer, type Exchange, succeeded } from '../core/exchange.ts';
import type { JobApi, JobSnapshot } from '../core/apis.ts';
import { type JobKind, whyUnstoppable, whyUnwatchable } from '../core/job-target.ts';
import { identifier, type JsonObject, type JsonValue, memberAt, objectWith } from '../core/json.ts';
import { sample } from '../core/random.ts';
import { tryCredentials } from './credentials.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../core/scenario.ts';
import { createEventReader, type EventRead, type EventReader } from './event-reads.ts';
import { runBody, runProbe, taskProbe } from './probe-bodies.ts';

/** A task or run from its request to its end. */
export interface ObservedJob {
  id: string;
  /** Answer to the request. */
  dispatched: Exchange;
  /** What polling showed, in order; never empty. */
  looks: JobSnapshot[];
  /** Looks at the record after polling had ended, in order; never empty. */
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

/** Creates a task or run. Throws JobRefused and JobWithoutId. */
export async function createJob(jobs: JobApi, body: JsonObject): Promise<{ id: string; dispatched: Exchange }> {
  const dispatched = await jobs.create(body);
  const { kind } = jobs.target();
  if (!succeeded(dispatched)) throw new JobRefused(kind, dispatched);
  const id = jobs.idOf(dispatched);
  if (id === undefined) throw new JobWithoutId(kind, dispatched);
  return { id, dispatched };
}

/** How to watch. */
export interface WatchOptions {
  id: string;
  until(look: JobSnapshot): boolean;
  deadlineMs: number;
  /** Called after every look, for what is read beside it. */
  beside?: () => Promise<void>;
}

/** Looks at the status until a condition holds, the end is seen or the deadline has passed. */
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

/** Three looks at the record. */
export async function lookAfter(jobs: JobApi, id: string): Promise<JobSnapshot[]> {
  return [await jobs.look(id), await jobs.look(id), await jobs.look(id)];
}

/** True when a look shows an end. */
export function isOver({ phase }: JobSnapshot): boolean {
  return phase === 'completed' || phase === 'ended';
}

/** A V2 task whose record and status were looked at side by side. */
export interface FollowedTask {
  id: string;
  request: JsonObject;
  created: Exchange;
  /** Looks at the status view, in order; never empty. */
  statuses: JobSnapshot[];
  /** Looks at the record, each right after one at the status; never empty. */
  records: JobSnapshot[];
}

/** Creates a V2 task and looks at it once. Throws JobRefused and JobWithoutId. */
export async function beginTask(context: ScenarioContext, request: JsonObject): Promise<FollowedTask> {
  const { id, dispatched } = await createJob(context.jobs.task, request);
  const task: FollowedTask = { id, request, created: dispatched, statuses: [], records: [] };
  await observeTask(context, task);
  return task;
}

/** Creates a V2 task and follows it to its end. */
export async function runToEnd(context: ScenarioContext, request: JsonObject): Promise<FollowedTask> {
  const task = await beginTask(context, request);
  await follow(context, task, { deadlineMs: context.target.polling.taskDeadlineMs });
  return task;
}

/** How far a task is followed. */
export interface FollowOptions {
  deadlineMs: number;
  /** Judges the last look at the record. @defaultValue only its end is waited for */
  until?: (last: JobSnapshot) => boolean;
}

/** Looks at a task until it has ended, a condition holds or the deadline has passed. */
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

/** True when both views have shown the end. */
function hasShownEnd({ statuses, records }: FollowedTask): boolean {
  return [statuses.at(-1), records.at(-1)].every((last) => last !== undefined && isOver(last));
}

async function observeTask(context: ScenarioContext, task: FollowedTask): Promise<void> {
  task.statuses.push(await context.jobs.task.look(task.id, { view: 'status' }));
  task.records.push(await context.jobs.task.look(task.id));
}

/** A task or run that was left to end by itself. Without looks where the target names no way to look: it was then ended at once. */
export interface OneShotJob extends ObservedJob {
  /** Reads of its events in order of time; empty for a V2 task and where the target names no operation for them. */
  events: EventRead[];
  /**
   * A pair or value that must be refused, for the session that the answer to the creation names; undefined where it names none, and where
   * it must be judged by something else.
   */
  refusal?: Exchange | undefined;
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
    unavailable: (target) => (whyUnwatchable(target, kind) === undefined ? undefined : whyUnstoppable(target, kind)),
    run: (context) => context.live(() => driveOne(context, kind)),
  };
}

async function driveOne(context: ScenarioContext, kind: JobKind): Promise<OneShotJob> {
  const { target, jobs } = context;
  const body = kind === 'run' ? runBody(target, target.tasks.succeed) : { task: target.tasks.succeed };
  if (whyUnwatchable(target, kind) !== undefined) return endAtOnce(jobs[kind], body);
  context.deadlines.assertWorthStarting(kind);
  const { id, dispatched } = await createJob(jobs[kind], body);
  const reader = kind === 'run' ? createEventReader(context, id) : undefined;
  const deadlineMs = target.polling.taskDeadlineMs;
  const looks = await watchJob(context, jobs[kind], {
    id,
    until: isOver,
    deadlineMs,
    beside: () => readBeside(reader),
  });
  const after = await lookAfter(jobs[kind], id);
  await reader?.readOn();
  await reader?.readAll();
  await reader?.readAll();
  // The reader that follows the cursor must have seen what a complete read shows.
  await reader?.readOn();
  await tryCredentials(
    context,
    (['record', 'status', 'stop'] as const).map((operation) => jobs[kind].request(operation, id)),
  );
  const refusal = await tryRefusedCell(context, kind, memberAt(dispatched.json, 'sessionId'));
  return { id, dispatched, looks, after, events: reader?.reads ?? [], refusal };
}

/** Sends a cell that must be refused for an idle session of its own (V2), or for the session of the run that has ended (V4). */
async function tryRefusedCell(
  context: ScenarioContext,
  kind: JobKind,
  sessionId: JsonValue | undefined,
): Promise<Exchange | undefined> {
  const own = kind === 'task' ? await openIdleSession(context) : undefined;
  const refusal = await sendRefused(context, kind, own ?? sessionId);
  const opened = own === undefined ? undefined : context.ledger.find('session', own);
  if (opened !== undefined) await context.resources.end(opened);
  return refusal;
}

// The session that a V2 task has opened may have ended with it, and refuses every task then.
async function openIdleSession(context: ScenarioContext): Promise<string | undefined> {
  if (context.target.operations === null || !context.operations.offers('v2.createSession')) return undefined;
  const created = await context.operations.create('session', 'v2.createSession', { body: {} });
  return succeeded(created) ? identifier(memberAt(created.json, 'id')) : undefined;
}

/** Sends a cell that must be refused for a session that exists. */
async function sendRefused(
  { resources, target, seed }: ScenarioContext,
  kind: JobKind,
  sessionId: JsonValue | undefined,
): Promise<Exchange | undefined> {
  if (typeof sessionId !== 'string') return undefined;
  if (kind === 'run') {
    const [cell] = sample(refusedParamCells(), 1, seed);
    if (cell === undefined) return undefined;
    const body = { ...runProbe(target), sessionId, model: cell.model, modelParams: objectWith(cell.path, cell.value) };
    return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
  }
  const refusedPairs = levelCells('v2').filter(({ accepted }) => !accepted);
  const [cell] = sample(refusedPairs, 1, seed);
  if (cell === undefined) return undefined;
  const body = { ...taskProbe(), sessionId, llm: cell.model, thinkingLevel: cell.level };
  return resources.probe('task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body });
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
