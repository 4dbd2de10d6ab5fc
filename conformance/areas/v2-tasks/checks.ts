import { check, type Check, type CheckContext } from '../../core/check.ts';
import { type Exchange, succeeded, describeAnswer } from '../../core/exchange.ts';
import type { JobSnapshot } from '../../core/apis.ts';
import { type FollowedTask, isOver } from '../../common/observed-job.ts';
import { oneShotTask } from '../../common/one-shot-job.ts';
import { interruptedTask } from '../v4-runs/scenarios.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberAt,
  parseJson,
  toText,
  isSame,
  identifier,
} from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { compareTimes } from '../../core/times.ts';
import { judgedTask, taskRefusals, taskSession, type TaskSession } from './scenarios.ts';
import { taskProbe } from '../../common/probe-bodies.ts';
import { show } from '../../core/text.ts';
import { judged, required } from '../../common/judgement.ts';
import { runScenarios } from '../../common/working-operations.ts';
import { isOwnTask } from '../../common/target-facts.ts';
import { numberedTask } from '../../common/watched-jobs.ts';
import { jobPhase } from '../../core/job-target.ts';
import { findOperation, pathValues } from '../../core/operations.ts';
import { requestObject } from '../../core/request-json.ts';
import { creationsSeen } from '../values/created-records.ts';
import type { LevelCell } from '../../common/level-cells.ts';
import { joinRecordings } from '../../common/probe-cells.ts';
import { expectRefused } from '../../common/refusals.ts';
import { withoutScreenshot } from '../../common/signed-urls.ts';

/** Checks of V2 tasks in their records and status views. */
export const taskViewChecks: readonly Check[] = [
  check('V2-VIEW-01', { needs: [taskSession] }, async (t) => {
    const { achieved, id } = await t.recording(taskSession);
    judged(t, achieved.created, 'creation of a V2 task').status(202);
    judged(t, achieved.created, 'the answer to task creation').member('sessionId', id);
    judged(t, achieved.created, 'the answer to task creation').member('id', achieved.id);
  }),
  check('V2-VIEW-02', { needs: [oneShotTask, interruptedTask], phase: 'last' }, async (t) => {
    await runScenarios(t, interruptedTask);
    for (const { exchange, request } of (await listShown(t)).filter(({ isRecord }) => isRecord))
      showsRequest(t, exchange, request);
  }),
  check('V2-VIEW-04', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    const { id } = await t.recording(oneShotTask);
    t.operations.need('v2.getTask', 'v2.getTaskStatus');
    for (const key of ['v2.getTaskStatus', 'v2.getTask'] as const) await t.operations.call(key, { path: [id] });
    const ended = (await listShown(t)).filter(({ phase }) => phase !== 'pending' && phase !== 'unknown');
    for (const [task, shown] of Map.groupBy(ended, (one) => one.id)) {
      const status = shown.findLast(({ isRecord }) => !isRecord);
      const record = shown.findLast(({ isRecord }) => isRecord);
      // A service may book the cost of a task after its end; the views of this task have just been read.
      const members = ['id', 'status', 'output', 'finishedAt', 'isSuccess', ...(task === id ? ['cost'] : [])];
      if (status !== undefined && record !== undefined) agree(t, [status.exchange, record.exchange], members);
    }
  }),
  check('V2-VIEW-05', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    for (const { exchange, phase } of await listShown(t)) {
      if (phase !== 'pending') continue;
      for (const member of ['output', 'isSuccess', 'finishedAt']) {
        const value = memberAt(exchange.json, member) ?? null;
        const message = `${member} of a V2 task that works is ${show(value)}; expected null`;
        t.expect(value === null, { exchange, message });
      }
    }
  }),
  check('V2-VIEW-06', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    for (const record of (await listShown(t)).filter(({ isRecord }) => isRecord)) times(t, record);
  }),
  check('V2-VIEW-07', { needs: [taskSession] }, async (t) => {
    for (const { records } of listTasks(await t.recording(taskSession))) {
      let before: JsonValue[] = [];
      for (const { exchange } of records) {
        const steps = memberAt(exchange.json, 'steps');
        const shown = Array.isArray(steps) ? steps : undefined;
        const kept = before.every((step, index) => isSame(withoutScreenshot(step), withoutScreenshot(shown?.[index])));
        const message = `a V2 task had ${before.length} steps and then shows ${show(steps)}; expected a list that begins with them`;
        t.expect(shown !== undefined && kept, { exchange, message });
        before = shown ?? before;
      }
    }
  }),
  check('V2-VIEW-08', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    const records = (await listShown(t)).filter(({ isRecord }) => isRecord);
    const last = (await t.recording(oneShotTask)).after.at(-1);
    if (last !== undefined && isOver(last)) {
      const message = 'a V2 task has ended without a step; expected at least one';
      t.expect(listSteps(last.exchange).length > 0, { exchange: last.exchange, message });
    }
    // A task that works may have no step yet, which shows nothing.
    for (const { exchange } of records) if (listSteps(exchange).length > 0) numbered(t, exchange);
  }),
  check('V2-VIEW-09', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    for (const { exchange, status, phase, isRecord, request } of await listShown(t)) {
      const { task } = request;
      if (phase === 'pending' || !isRecord) continue;
      const message = `a V2 task was ${show(status)} at the end; expected finished or stopped`;
      t.expect(['finished', 'stopped'].includes(toText(status)), { exchange, message });
      const isFailing = task === t.target.tasks.fail;
      if (status !== 'finished' || !(isFailing || isKnownToSucceed(t, task))) continue;
      const what = isFailing ? 'a V2 task that missed its goal' : 'a V2 task that has reached its goal';
      judged(t, exchange, what).member('isSuccess', !isFailing);
    }
  }),
  check('V2-VIEW-10', { needs: [taskSession] }, async (t) => {
    const { asked, opened } = (await t.recording(taskSession)).log;
    judged(t, asked, 'the log of a V2 task').status(200);
    const answer = opened === undefined ? '' : `, which ${describeAnswer(opened)} without a key`;
    const message = `downloadUrl of a log is ${show(memberAt(asked.json, 'downloadUrl'))}${answer}; expected an address that opens without a key`;
    t.expect(opened !== undefined && succeeded(opened), { exchange: opened ?? asked, message });
  }),
  check('V2-VIEW-20', { needs: [oneShotTask] }, async (t) => {
    const { dispatched } = await t.recording(oneShotTask);
    const sessionId = required(
      t,
      identifier(memberAt(dispatched.json, 'sessionId')),
      'the answer to the creation names no session (sessionId)',
    );
    const exchange = await t.operations.call('v2.getSession', { path: [sessionId] });
    judged(t, exchange, 'GET of the session of a V2 task').status(200);
    judged(t, exchange, 'the session that a V2 task has opened').member('keepAlive', false);
    judged(t, exchange, 'the session that a V2 task has opened, after its end').member('status', 'stopped');
  }),
  check('V2-VIEW-21', { needs: [taskSession] }, async (t) => {
    const { structured } = await t.recording(taskSession);
    if (structured === undefined) throw new NotTestable('the target file names no structured goal (tasks.structured)');
    const { exchange, result } = getLastRecord(structured);
    const value = typeof result === 'string' ? parseJson(result) : undefined;
    const message = `output with structuredOutput is ${show(result)}; expected a text that holds an object with a title`;
    t.expect(isJsonObject(value) && typeof value['title'] === 'string', { exchange, message });
  }),
  check('V2-VIEW-26', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    for (const { exchange, request } of (await listShown(t)).filter(({ isRecord }) => isRecord)) {
      if ('judge' in request) continue;
      for (const member of ['judgement', 'judgeVerdict']) {
        const value = memberAt(exchange.json, member) ?? null;
        const message = `${member} of a V2 task without a judge is ${show(value)}; expected null`;
        t.expect(value === null, { exchange, message });
      }
    }
  }),
  check('V2-VIEW-27', { needs: [judgedTask] }, async (t) => {
    const { created, record } = await t.recording(judgedTask);
    judged(t, created, 'creation of a V2 task with a judge').taken();
    if (record === undefined) return;
    const [judgement, verdict] = ['judgement', 'judgeVerdict'].map((name) => memberAt(record.json, name) ?? null);
    const isReport = typeof judgement === 'string' && parseJson(judgement) !== undefined;
    const message = `judgeVerdict of a V2 task is ${show(verdict)} and its judgement ${show(judgement)}; expected JSON text with it, or null for both`;
    t.expect(isReport || (judgement === null && verdict === null), { exchange: record, message });
  }),
  check('V2-VIEW-25', {}, async (t) => {
    const metadata = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`label${index}`, 'svc']));
    const exchange = await t.operations.probe('task', 'v2.createTask', { body: { ...taskProbe(), metadata } });
    judged(t, exchange, 'a V2 task with eleven pairs of metadata').status(422);
  }),
];

/** Model of a V2 task whose request names none. */
const defaultModel = 'svc-2.0';

/**
 * Judges that a record shows the session, the goal, the metadata and the default model of its creation. A service may
 * show another name of a model that the creation named, but not that of the default model.
 */
function showsRequest(t: CheckContext, exchange: Exchange, request: JsonObject): void {
  const { task = null, llm = null, sessionId = null } = request;
  const want = {
    task,
    metadata: request['metadata'] ?? {},
    ...(sessionId === null ? {} : { sessionId }),
    ...(llm === null || llm === defaultModel ? { llm: defaultModel } : {}),
  };
  for (const [member, value] of Object.entries(want)) judged(t, exchange, 'a V2 task').member(member, value);
  const isOther = typeof llm === 'string' && !llm.startsWith('svc-');
  const message = `llm of a V2 task that was created with ${show(llm)} is ${defaultModel}, the model of tasks that name none; expected the model of its creation`;
  t.expect(!isOther || memberAt(exchange.json, 'llm') !== defaultModel, { exchange, message });
}

/** Judges that the status view and the record of a task that has ended show the same members. */
function agree(t: CheckContext, [status, record]: readonly [Exchange, Exchange], members: readonly string[]): void {
  for (const member of members) {
    const [one, other] = [memberAt(status.json, member), memberAt(record.json, member)];
    const message = `${member} of a V2 task that has ended is ${show(one)} in its status view and ${show(other)} in its record; expected the same`;
    t.expect(isSame(one ?? null, other ?? null), { exchange: status, message });
  }
}

/** A response with a V2 task that this run created. */
interface ShownTask extends Pick<JobSnapshot, 'exchange' | 'status' | 'phase'> {
  id: string;
  /** True for the record of a task, false for its status view. */
  isRecord: boolean;
  /** Body of the request that created the task. */
  request: JsonObject;
}

/**
 * Returns the successful fetches of the record or the status of each V2 task that this run created, in the order of the
 * recording. Ends the check as not testable if the target does not offer both operations.
 */
async function listShown(t: CheckContext): Promise<ShownTask[]> {
  await runScenarios(t, oneShotTask);
  t.operations.need('v2.getTask', 'v2.getTaskStatus');
  const created = creationsSeen(t).filter(({ generation }) => generation === 'v2');
  const tasks = new Map(created.map(({ id, exchange }) => [id, requestObject(exchange)]));
  const job = t.jobs.task.target();
  return t.recorder.all().flatMap((exchange) => {
    const key = findOperation(t.target, exchange)?.key;
    const [id = ''] = pathValues(t.target, exchange);
    const request = tasks.get(id);
    if (!(key === 'v2.getTask' || key === 'v2.getTaskStatus') || !succeeded(exchange) || request === undefined)
      return [];
    const [status, phase] = [memberAt(exchange.json, job.statusIn), jobPhase(job, exchange.json)];
    return [{ id, exchange, status, phase, request, isRecord: key === 'v2.getTask' }];
  });
}

/**
 * Returns true for the text of the succeeding task if the target file defines this task itself. The text may have a
 * digit after the stamp of the run (`numberedTask`).
 */
function isKnownToSucceed(t: CheckContext, task: JsonValue | undefined): boolean {
  const texts = Array.from({ length: 10 }, (_, number) => numberedTask(t, number));
  return isOwnTask(t.target, 'succeed') && [t.target.tasks.succeed, ...texts].some((text) => text === task);
}

function numbered(t: CheckContext, exchange: Exchange): void {
  const list = listSteps(exchange);
  const numbers = list.map((step) => Number(memberAt(step, 'number')));
  const broken = numbers.findIndex((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);
  t.expect(broken === -1, {
    exchange,
    message: `the steps of a V2 task are numbered ${numbers.join(', ')}; expected consecutive numbers`,
  });
  for (const action of list.flatMap((step) => memberAt(step, 'actions') ?? []))
    t.expect(typeof action === 'string' && parseJson(action) !== undefined, {
      exchange,
      message: `an action of a step is ${show(action)}; expected a text that holds JSON`,
    });
}

function listSteps({ json }: Exchange): JsonValue[] {
  const steps = memberAt(json, 'steps');
  return Array.isArray(steps) ? steps : [];
}

/** Returns every task of the recording. */
function listTasks({ achieved, structured, failed, stopped, ended }: TaskSession): FollowedTask[] {
  return [achieved, structured, failed, stopped.task, ended?.task].flatMap((task) =>
    task === undefined ? [] : [task],
  );
}

function getLastRecord({ records }: FollowedTask): JobSnapshot {
  const last = records.at(-1);
  if (last === undefined) throw new Error('a task of the recording was never looked at');
  return last;
}

/** Pattern of a time in UTC: with `Z`, with `+00:00`, or without an offset, as the companion records it. */
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?$/;

function times(t: CheckContext, { exchange, status, phase }: Omit<ShownTask, 'id' | 'request' | 'isRecord'>): void {
  const at = ['createdAt', 'startedAt', 'finishedAt'].map((member) => memberAt(exchange.json, member) ?? null);
  const set = at.filter((time) => time !== null);
  const wrong = set.find((time) => typeof time !== 'string' || !utc.test(time));
  t.expect(wrong === undefined, {
    exchange,
    message: `a V2 task shows the time ${show(wrong)}; expected UTC, with Z or without an offset`,
  });
  const ordered = set.every((time, index) => index === 0 || (compareTimes(set[index - 1], time) ?? Number.NaN) >= 0);
  t.expect(ordered, {
    exchange,
    message: `the times of a V2 task are ${show(at)}; expected created, started, finished`,
  });
  const finish = `finishedAt of a V2 task that is ${show(status)} is ${show(at[2])}; expected a time`;
  t.expect(phase === 'pending' || phase === 'unknown' || at[2] !== null, { exchange, message: finish });
  const begun = at[1] !== null;
  const message = `startedAt of a V2 task that is ${show(status)} is ${show(at[1])}; expected ${status === 'started' ? 'a time' : 'null'}`;
  if (status === 'created' || status === 'started') t.expect(begun === (status === 'started'), { exchange, message });
}

/** Checks of V2 model and level pairs that must be refused. */
export const taskRefusalChecks: readonly Check[] = [
  check('V2-THINK-REFUSES', { needs: [taskRefusals] }, (t) => cellsRefused(t, () => true)),
  check('ERR-07', { needs: [taskRefusals] }, (t) => cellsRefused(t, () => true)),
  check('MAP-06', { needs: [taskRefusals] }, (t) => cellsRefused(t, ({ model }) => model === 'gemini-2.5-pro')),
  check('MAP-11', { needs: [taskRefusals] }, (t) => cellsRefused(t, isOlderClaude)),
  check('MAP-15', { needs: [taskRefusals] }, (t) => cellsRefused(t, ({ model }) => model === 'glm-5.2')),
  check('V2-THINK-30', { needs: [taskRefusals] }, (t) => cellsRefused(t, ({ model }) => model === 'glm-5.2')),
  check('V2-THINK-31', { needs: [taskRefusals] }, (t) => cellsRefused(t, isOlderClaude)),
  check('V2-TASK-07', { needs: [taskRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(taskRefusals)).withThinking, '422');
  }),
];

async function cellsRefused(t: CheckContext, wanted: (cell: LevelCell) => boolean): Promise<void> {
  const recorded = await t.recording(taskRefusals);
  const cells = joinRecordings<LevelCell>(recorded.cells, recorded.varied, recorded.repeated);
  const probes = cells.probes.filter(({ cell }) => wanted(cell));
  if (probes.length === 0) t.notRun('three probes of this matrix had been accepted before');
  expectRefused(t, { probes, unsent: cells.unsent.filter((cell) => wanted(cell)) }, '422');
}

function isOlderClaude({ model, supported }: LevelCell): boolean {
  return model.startsWith('claude-') && supported.length === 1;
}
