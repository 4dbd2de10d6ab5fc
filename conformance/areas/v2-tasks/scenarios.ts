import { tryCredentials } from '../../common/credentials.ts';
import { draw, taskOptions } from '../../properties/arbitraries/index.ts';
import { createCircuitBreaker, type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { beginTask, follow, type FollowedTask, isOver, runToEnd, watchJob } from '../../common/observed-job.ts';
import { guardAddress, type GuardedAddress } from '../../common/signed-urls.ts';
import { notWatchable, openTaskSession } from '../../common/open-task-session.ts';
import { followPages, listItems } from '../../common/followed-pages.ts';
import { unstoppableReason, unwatchableReason } from '../../core/job-target.ts';
import { type LevelCell, levelCells, unlistedLevelCells } from '../../common/level-cells.ts';
import { probeCells, type ProbeRecording, repeatCells } from '../../common/probe-cells.ts';
import { type RequestRest, type WithRest, bodyWithRest, plainRest, withRests } from '../../common/request-rests.ts';
import { taskProbe } from '../../common/probe-bodies.ts';

/** A V2 session with keepAlive, and its tasks one after the other. */
export interface TaskSession {
  id: string;
  created: Exchange;
  /** Fetch of the session right after its creation. */
  fetched: Exchange;
  /** A task with metadata and further members that do not change the result. */
  achieved: FollowedTask;
  /**
   * The request for the log of `achieved`, the response of the log's URL without a key (`opened`), and altered requests
   * to this URL. Undefined where the response carries no URL.
   */
  log: { asked: Exchange; opened: Exchange | undefined; guarded: GuardedAddress | undefined };
  /** A task with a JSON schema; undefined if the target file names no such task. */
  structured: FollowedTask | undefined;
  /** A task that fails; undefined if the target file names no such task. */
  failed: FollowedTask | undefined;
  stopped: StoppedTask;
  /** A slow task that ended together with the session; undefined if the session had ended before. */
  ended: EndedTask | undefined;
  /** Lists of the tasks of the session, before its end. */
  lists: TaskLists;
  /** Response to the creation of a task in the session after the session had ended. */
  late: Exchange;
  deleted: { answer: Exchange; fetched: Exchange };
}

/** A slow task that was stopped while the session continued. */
export interface StoppedTask {
  task: FollowedTask;
  /** Response to the creation of a second task in the session while the first task works. */
  second: Exchange;
  /** Lists of the session's tasks, right before and right after the request for the second task. */
  around: { before: Exchange; after: Exchange };
  /** Response to a PATCH of the task with an unknown action, and the task after this request. */
  unknownAction: { answer: Exchange; after: Exchange };
  /** False when the task had ended by itself before it was stopped. */
  inTime: boolean;
  answer: Exchange;
  /** Fetch of the session after the stop of the task. */
  session: Exchange;
}

/** A slow task that was ended together with its session. */
export interface EndedTask {
  task: FollowedTask;
  answer: Exchange;
  session: Exchange;
}

/** The schema of the structured task; the test task can fill every member. */
const titleSchema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
} as const;

const operations = [
  'v2.createSession',
  'v2.getSession',
  'v2.deleteSession',
  'v2.updateTask',
  'v2.getTaskLogs',
  'v2.listTasks',
] as const;

/** Creates one V2 session with tasks that succeed, fail and are stopped; records them and their lists. */
export const taskSession: Scenario<TaskSession> = {
  name: 'task-session',
  creates: 'one V2 session with five tasks, two of them slow and stopped',
  spend: 'task',
  dispatches: 5,
  stateful: true,
  unavailable: (target) => notWatchable(target, operations),
  run: (context) => context.live(() => driveSession(context)),
};

async function driveSession(context: ScenarioContext): Promise<TaskSession> {
  const { id, created } = await openTaskSession(context, {});
  const { tasks } = context.target;
  const fetched = await context.operations.call('v2.getSession', { path: [id] });
  const achieved = await runToEnd(context, { task: tasks.succeed, sessionId: id, ...drawnOptions(context) });
  const log = await readLog(context, achieved.id);
  const structuredOutput = JSON.stringify(titleSchema);
  const structured =
    tasks.structured === null
      ? undefined
      : await runToEnd(context, { task: tasks.structured, sessionId: id, structuredOutput });
  const failed = tasks.fail === null ? undefined : await runToEnd(context, { task: tasks.fail, sessionId: id });
  const stopped = await stopOne(context, id);
  const lists = await readTaskLists(context, id, achieved);
  const isActive = memberAt(stopped.session.json, 'status') === 'active';
  const ended = isActive ? await endWithSession(context, id) : undefined;
  const late = await context.jobs.task.create({ task: tasks.succeed, sessionId: id });
  await tryCredentials(context, [
    context.operations.request('v2.updateSession', { path: [id], body: { action: 'stop' } }),
    context.operations.request('v2.deleteSession', { path: [id] }),
  ]);
  const answer = await context.operations.call('v2.deleteSession', { path: [id] });
  const deleted = { answer, fetched: await context.operations.call('v2.getSession', { path: [id] }) };
  return { id, created, fetched, achieved, log, structured, failed, stopped, lists, ended, late, deleted };
}

function drawnOptions({ seed }: ScenarioContext): JsonObject {
  return draw(taskOptions(), { seed, purpose: 'task-session' });
}

async function readLog(context: ScenarioContext, id: string): Promise<TaskSession['log']> {
  const asked = await context.operations.call('v2.getTaskLogs', { path: [id] });
  const address = memberAt(asked.json, 'downloadUrl');
  if (!succeeded(asked) || typeof address !== 'string') return { asked, opened: undefined, guarded: undefined };
  const spec = { generation: 'other', operation: 'taskLog', method: 'GET', path: address, key: 'none' } as const;
  return { asked, opened: await context.send(spec), guarded: await guardAddress(context, 'the V2 log', address) };
}

async function stopOne(context: ScenarioContext, sessionId: string): Promise<StoppedTask> {
  const task = await beginWorking(context, sessionId);
  const listed = (): Promise<Exchange> =>
    context.operations.call('v2.listTasks', { query: { sessionId, pageSize: 100 } });
  const before = await listed();
  const second = await context.jobs.task.create({ task: context.target.tasks.succeed, sessionId });
  const around = { before, after: await listed() };
  // A task that has ended by itself no longer blocks the second task.
  if (isOver(await context.jobs.task.look(task.id)))
    throw new NotTestable('the slow task had ended before a second one was sent');
  const wrong = await context.operations.call('v2.updateTask', {
    path: [task.id],
    body: { action: 'pause' },
    invalid: true,
  });
  const unknownAction = { answer: wrong, after: (await context.jobs.task.look(task.id)).exchange };
  // The order of steps is visible only with at least two steps.
  const { startDeadlineMs, settleDeadlineMs } = context.target.polling;
  await follow(context, task, { deadlineMs: startDeadlineMs, until: (last) => stepCount(last) >= 2 });
  const inTime = task.records.at(-1)?.phase === 'pending';
  const answer = await context.operations.call('v2.updateTask', { path: [task.id], body: { action: 'stop' } });
  await follow(context, task, { deadlineMs: settleDeadlineMs });
  // A second stop must change nothing.
  await context.operations.call('v2.updateTask', { path: [task.id], body: { action: 'stop' } });
  const session = await context.operations.call('v2.getSession', { path: [sessionId] });
  return { task, second, around, unknownAction, inTime, answer, session };
}

function stepCount({ exchange }: FollowedTask['records'][number]): number {
  const steps = memberAt(exchange.json, 'steps');
  return Array.isArray(steps) ? steps.length : 0;
}

async function endWithSession(context: ScenarioContext, sessionId: string): Promise<EndedTask> {
  const task = await beginWorking(context, sessionId);
  const body = { action: 'stop_task_and_session' };
  const answer = await context.operations.call('v2.updateTask', { path: [task.id], body });
  await follow(context, task, { deadlineMs: context.target.polling.settleDeadlineMs });
  return { task, answer, session: await context.operations.call('v2.getSession', { path: [sessionId] }) };
}

/**
 * Creates a slow task in a session and polls until the task is running or the start deadline has passed. Throws
 * NotTestable if the task has ended by then.
 */
export async function beginWorking(context: ScenarioContext, sessionId: string): Promise<FollowedTask> {
  const task = await beginTask(context, { task: String(context.target.tasks.slow), sessionId });
  const works = (last: FollowedTask['records'][number]): boolean => toText(last.status) === 'started';
  await follow(context, task, { deadlineMs: context.target.polling.startDeadlineMs, until: works });
  if (task.records.at(-1)?.phase === 'pending') return task;
  throw new NotTestable('the slow task had ended before it could be stopped');
}

/** Lists of the V2 tasks of one session. */
interface TaskLists {
  all: Exchange;
  /** The lists of tasks with each of these two statuses. */
  byStatus: Readonly<Record<'finished' | 'stopped', Exchange>>;
  /**
   * Creation time of the first task, in UTC with an offset. `after` and `before` are the lists of the tasks after and
   * before this time.
   */
  moment: string;
  after: Exchange;
  before: Exchange;
  /** Pages of the task list with one task each, and one page after the last. */
  pages: Exchange[];
  /** Fetch of the session, which shows its tasks. */
  session: Exchange;
}

/** Reads the task lists of an idle session. */
async function readTaskLists(context: ScenarioContext, sessionId: string, first: FollowedTask): Promise<TaskLists> {
  const list = (query: Readonly<Record<string, string | number>>): Promise<Exchange> =>
    context.operations.call('v2.listTasks', { query: { sessionId, pageSize: 100, ...query } });
  const moment = withOffset(toText(memberAt(first.records.at(-1)?.exchange.json, 'createdAt')));
  return {
    all: await list({}),
    byStatus: { finished: await list({ filterBy: 'finished' }), stopped: await list({ filterBy: 'stopped' }) },
    moment,
    after: await list({ after: moment }),
    before: await list({ before: moment }),
    pages: await followPages(
      (page: number | undefined) => list({ pageSize: 1, pageNumber: page ?? 1 }),
      (page, pages) => (listItems(page, 'items').length === 0 ? undefined : pages.length + 1),
    ),
    session: await context.operations.call('v2.getSession', { path: [sessionId] }),
  };
}

/** Returns a time with an offset, which the query requires; records may omit the offset. */
function withOffset(time: string): string {
  return /Z|[+-]\d\d:\d\d$/.test(time) ? time : `${time}Z`;
}

/** A V2 task with a judge, and its record. */
export interface JudgedTask {
  created: Exchange;
  /** The task at its end; undefined if the creation was refused or its answer has no id. */
  record: Exchange | undefined;
}

/** Creates one V2 task with a judge; records its end. */
export const judgedTask: Scenario<JudgedTask> = {
  name: 'judged-task',
  creates: 'one V2 task that succeeds, with a judge',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => unwatchableReason(target, 'task') ?? unstoppableReason(target, 'task'),
  run: (context) => context.live(() => driveOne(context)),
};

async function driveOne(context: ScenarioContext): Promise<JudgedTask> {
  const { jobs, target } = context;
  const judge = { judge: true, judgeGroundTruth: 'The task succeeds.' };
  const created = await jobs.task.create({ task: target.tasks.succeed, ...judge });
  const id = succeeded(created) ? jobs.task.readId(created) : undefined;
  if (id === undefined) return { created, record: undefined };
  await watchJob(context, jobs.task, { id, until: isOver, deadlineMs: target.polling.taskDeadlineMs });
  return { created, record: (await jobs.task.look(id)).exchange };
}

/** Cells of the V2 matrix that must be refused, sent alone and with further members of the request. */
export interface TaskRefusals {
  cells: ProbeRecording<LevelCell>;
  /** The cells of `cells` in requests with various valid members beside the model and the level. */
  varied: ProbeRecording<WithRest<LevelCell>>;
  /** A few of the cells of `cells`, each sent twice. */
  repeated: ProbeRecording<LevelCell>;
  /** For each model, one level that V2 does not list. */
  unlisted: ProbeRecording<LevelCell>;
  /** The first refused cell of each model, with `thinking` true and false. */
  withThinking: ProbeRecording<LevelCell>;
}

/** Sends every combination of model and level that V2 must refuse. Records the responses. */
export const taskRefusals: Scenario<TaskRefusals> = {
  name: 'task-refusals',
  creates: 'nothing: every V2 pair that must be refused is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  run: async (context) => {
    const refused = levelCells('v2').filter((cell) => !cell.accepted);
    const firsts = refused.filter((cell, index) => refused[index - 1]?.model !== cell.model);
    const breaker = createCircuitBreaker();
    return {
      cells: await probeCells(refused, (cell) => send(context, cell), breaker),
      varied: await probeCells(
        withRests(refused, 'v2', context.seed),
        (cell) => send(context, cell, cell.rest),
        breaker,
      ),
      repeated: await probeCells(repeatCells(refused, context.seed), (cell) => send(context, cell), breaker),
      unlisted: await probeCells(unlistedLevelCells('v2', context.seed), (cell) => send(context, cell)),
      withThinking: await probeCells(
        firsts.flatMap((cell) =>
          thinkingRests.map((rest) => ({ ...cell, key: `${cell.key} beside ${rest.name}`, rest })),
        ),
        (cell) => send(context, cell, cell.rest),
      ),
    };
  },
};

const thinkingRests: readonly RequestRest[] = [
  { name: 'thinking true', members: { thinking: true } },
  { name: 'thinking false', members: { thinking: false } },
];

function send(
  { resources }: ScenarioContext,
  { model, level }: LevelCell,
  rest: RequestRest = plainRest,
): Promise<Exchange> {
  const body = bodyWithRest(taskProbe(), { llm: model, thinkingLevel: level }, rest);
  return resources.probe('task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body });
}
