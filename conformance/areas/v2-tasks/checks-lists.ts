import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Call } from '../../core/apis.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { compareTimes } from '../../core/times.ts';
import { listItems, listAllItems } from '../../common/followed-pages.ts';
import { taskProbe } from '../../common/probe-bodies.ts';
import { type TaskSession, taskSession } from './scenarios.ts';
import { show } from '../../core/text.ts';
import { expectPage, listIds, judged, listed, notFound } from '../../common/judgement.ts';

/** Checks of the lists of V2 tasks, of the stops of tasks, and of requests that must be refused. */
export const taskListChecks: readonly Check[] = [
  check('V2-VIEW-03', { needs: [taskSession] }, async (t) => {
    const { lists } = await t.recording(taskSession);
    for (const task of listItems(lists.all, 'items')) listed(t, lists.all, task);
  }),
  check('V2-VIEW-11', { needs: [taskSession] }, async (t) => {
    const recording = await t.recording(taskSession);
    const shown = listItems(recording.lists.all, 'items');
    judged(t, recording.lists.all, 'the list of one session').ids({ shown: listIds(shown), want: ownIds(recording) });
    for (const { sessionId } of shown)
      t.expect(sessionId === recording.id, {
        exchange: recording.lists.all,
        message: `the list of the tasks of one session shows a task of ${show(sessionId)}; expected only tasks of ${recording.id}`,
      });
  }),
  check('V2-VIEW-12', { needs: [taskSession] }, async (t) => {
    const { lists } = await t.recording(taskSession);
    const all = listItems(lists.all, 'items');
    for (const [status, exchange] of Object.entries(lists.byStatus)) {
      const want = listIds(all.filter((task) => task['status'] === status));
      judged(t, exchange, `the list of ${status} tasks`).ids({ shown: listIds(listItems(exchange, 'items')), want });
    }
  }),
  check('V2-VIEW-13', { needs: [taskSession] }, async (t) => {
    const { lists } = await t.recording(taskSession);
    const createdAfterMs = (task: JsonObject): number => compareTimes(lists.moment, task['createdAt']) ?? Number.NaN;
    parted(t, lists.all, {
      part: lists.after,
      name: 'after',
      belongs: (task) => createdAfterMs(task) > 0,
      may: (task) => createdAfterMs(task) === 0,
    });
    parted(t, lists.all, {
      part: lists.before,
      name: 'before',
      belongs: (task) => createdAfterMs(task) < 0,
      may: (task) => createdAfterMs(task) === 0,
    });
  }),
  check('V2-VIEW-14', { needs: [taskSession] }, async (t) => {
    const recording = await t.recording(taskSession);
    const { pages } = recording.lists;
    const want = ownIds(recording);
    const first = pages[0];
    if (first === undefined) return;
    for (const [index, exchange] of pages.entries()) {
      const asked = { pageNumber: index + 1, pageSize: 1 };
      expectPage(t, { exchange, items: 'items', total: 'totalItems', asked, most: index < want.length ? 1 : 0 });
      judged(t, exchange, 'a page of the tasks of a session').member('totalItems', want.length);
    }
    judged(t, first, 'page after page of tasks').ids({ shown: listIds(listAllItems(pages, 'items')), want });
  }),
  check('V2-VIEW-15', { needs: [taskSession] }, async (t) => {
    const { second, around } = (await t.recording(taskSession)).stopped;
    judged(t, second, 'a second task for a V2 session').status(400);
    const [before, after] = [listIds(listItems(around.before, 'items')), listIds(listItems(around.after, 'items'))];
    judged(t, around.after, 'the list after a refused task').ids({ shown: after, want: before });
  }),
  check('V2-VIEW-16', { needs: [taskSession] }, async (t) => {
    judged(t, (await t.recording(taskSession)).late, 'a task for a V2 session that was stopped').status(400);
  }),
  check('V2-VIEW-17', { needs: [taskSession] }, async (t) => {
    const { inTime, answer, task, session } = (await t.recording(taskSession)).stopped;
    if (!inTime) t.notTestable(endedBefore);
    judged(t, answer, 'PATCH of a V2 task with stop').status(200);
    if (hadEnded(answer)) t.notTestable(endedBefore);
    const last = task.records.at(-1)?.exchange ?? answer;
    judged(t, last, 'a V2 task after its stop').member('status', 'stopped');
    const finishedAt = memberAt(last.json, 'finishedAt');
    t.expect(typeof finishedAt === 'string', {
      exchange: last,
      message: `finishedAt of a stopped task is ${show(finishedAt)}; expected a time`,
    });
    judged(t, session, 'a kept V2 session after the stop of its task').member('status', 'active');
  }),
  check('V2-VIEW-18', { needs: [taskSession] }, async (t) => {
    const { ended } = await t.recording(taskSession);
    if (ended === undefined) throw new NotTestable('the V2 session had ended before');
    const { answer, task, session } = ended;
    judged(t, answer, 'PATCH of a V2 task with stop_task_and_session').status(200);
    judged(t, session, 'a V2 session after stop_task_and_session').member('status', 'stopped');
    if (hadEnded(answer)) t.notTestable(endedBefore);
    judged(t, task.records.at(-1)?.exchange ?? answer, 'a V2 task after its stop').member('status', 'stopped');
  }),
  check('V2-VIEW-19', { needs: [taskSession] }, async (t) => {
    const { answer, after } = (await t.recording(taskSession)).stopped.unknownAction;
    judged(t, answer, 'PATCH of a V2 task with pause').status(422);
    if (hadEnded(after)) t.notTestable('the slow task had ended before it was looked at');
    judged(t, after, 'a V2 task after a refused PATCH').member('status', 'started');
  }),
  check('V2-VIEW-22', {}, async (t) => {
    for (const [name, member] of wrongTasks()) {
      const exchange = await t.operations.probe('task', 'v2.createTask', { body: { ...taskProbe(), ...member } });
      judged(t, exchange, `a V2 task with ${name}`).status(422);
    }
  }),
  check('V2-VIEW-23', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    notFound(t, await t.operations.call('v2.getTask', { path }), 'Task not found');
    notFound(t, await t.operations.call('v2.getTaskStatus', { path }), 'Task not found');
    notFound(t, await t.operations.call('v2.getTaskLogs', { path }), 'Task not found');
    notFound(t, await t.operations.call('v2.updateTask', { path, body: { action: 'stop' } }), 'Task not found');
  }),
  check('V2-VIEW-24', {}, async (t) => {
    for (const [key, query] of wrongQueries) {
      const exchange = await t.operations.call(key, { query, invalid: true });
      judged(t, exchange, `${key} with ${JSON.stringify(query)}`).status(422);
    }
  }),
];

const endedBefore = 'the slow task had ended before it was stopped';

/** Returns true if the record of a task has the status `finished`: the task has ended by itself. */
function hadEnded(record: Exchange): boolean {
  return memberAt(record.json, 'status') === 'finished';
}

/** Returns the ids of the tasks of a V2 session that the run created before it read the lists. */
function ownIds({ achieved, structured, failed, stopped }: TaskSession): string[] {
  return [achieved, structured, failed, stopped.task].flatMap((task) => (task === undefined ? [] : [task.id]));
}

interface Part {
  part: Exchange;
  name: string;
  belongs: (task: JsonObject) => boolean;
  may: (task: JsonObject) => boolean;
}

function parted(t: CheckContext, all: Exchange, { part, name, belongs, may }: Part): void {
  const tasks = listItems(all, 'items');
  const optional = new Set(listIds(tasks.filter((task) => may(task))));
  const shown = listIds(listItems(part, 'items')).filter((id) => !optional.has(id));
  judged(t, part, `the list ${name} a time`).ids({ shown, want: listIds(tasks.filter((task) => belongs(task))) });
}

function wrongTasks(): [string, JsonObject][] {
  return [
    ['an empty goal', { task: '' }],
    ['a goal of 50001 characters', { task: 't'.repeat(50_001) }],
    ['maxSteps 0', { maxSteps: 0 }],
    ['maxSteps 10001', { maxSteps: 10_001 }],
    ['a systemPromptExtension of 10001 characters', { systemPromptExtension: 's'.repeat(10_001) }],
    ['a judgeGroundTruth of 10001 characters', { judgeGroundTruth: 'j'.repeat(10_001) }],
  ];
}

const wrongQueries: readonly (readonly ['v2.listTasks' | 'v2.listSessions', NonNullable<Call['query']>])[] = [
  ['v2.listTasks', { pageSize: 0 }],
  ['v2.listTasks', { pageSize: 101 }],
  ['v2.listTasks', { pageNumber: 0 }],
  ['v2.listTasks', { filterBy: 'paused' }],
  ['v2.listTasks', { sessionId: 'no-uuid' }],
  ['v2.listTasks', { after: 'yesterday' }],
  ['v2.listTasks', { before: 'tomorrow' }],
  ['v2.listSessions', { pageSize: 0 }],
  ['v2.listSessions', { pageSize: 101 }],
  ['v2.listSessions', { pageNumber: 0 }],
  ['v2.listSessions', { filterBy: 'paused' }],
];
