import { hasSpentCeiling } from '../../common/cost-ceilings.ts';
import { toText, memberAt } from '../../core/json.ts';
import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused, succeeded, isServerError } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import { defaultTarget } from '../../core/default-target.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { summariesFollow } from '../v3-sessions/checks-work.ts';
import { type SessionHistory, sessionHistories, mayBeginTask } from '../v3-sessions/history.ts';
import { clockedSession, type ClockedSession, earlyFollowUp } from '../v3-sessions/scenarios.ts';
import { emptySession, type StoppedSession } from '../v3-sessions/scenarios-empty.ts';
import {
  interruptedSession,
  type InterruptedSession,
  keptSession,
  type KeptSession,
} from '../v3-sessions/scenarios-kept.ts';
import {
  hasEnded,
  type Observation,
  oneShotSession,
  type TaskObservation,
  endStates,
} from '../../common/observed-session.ts';
import { sessionRecord } from '../../ledger/session-api.ts';
import { required } from '../../common/judgement.ts';
import { saysNothing } from '../../common/refusals.ts';
import { deadlinePassed, isControlled, settleWait } from '../../common/target-facts.ts';
import { expectWorks, runScenarios } from '../../common/working-operations.ts';
import type { Stored } from '../../common/workspace-files.ts';
import { carried, recordingIfAny, recordsSeen } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { isLegalStep as isLegal, findMachine } from '../../properties/lifecycle/machines.ts';
import { crashedSession, type FailedSandbox, failedStart, idleUploads, isStored } from './scenarios.ts';

/** Checks of the lifecycle of a V3 session. */
export const sessionLifeChecks: readonly Check[] = [
  law('LIFE-01', (t) => legalSteps(t), { needs: [oneShotSession, keptSession] }),
  check('LIFE-02', { needs: [earlyFollowUp] }, async (t) => {
    const { before, exchange, after } = await t.recording(earlyFollowUp);
    if (before !== 'created') t.notTestable(`the session was ${before} in its first fetch, never created`);
    const status = memberAt(exchange.json, 'status');
    const isStarting = status === 'created' || after.record['status'] === 'created';
    if (succeeded(exchange) && !isStarting) t.notTestable('the session may have become idle before the task came');
    if ([0, 502, 504].includes(exchange.status))
      t.notTestable(`a task for a session in created ${describeAnswer(exchange)}`);
    // A 503 says that the sandbox is not ready yet; the contract names no status.
    t.expect(refused(exchange) || exchange.status === 503, {
      exchange,
      message: `a task for a session in created ${describeAnswer(exchange)}; expected a refusal`,
    });
  }),
  check('LIFE-04', { needs: [idleUploads] }, async (t) => {
    const { control, idle, after } = await t.recording(idleUploads);
    if (!isStored(control)) t.notTestable(`an upload to a workspace without a session ${describeUpload(control)}`);
    const missed = `no session in the workspace was idle within ${t.target.polling.startDeadlineMs} ms (polling.startDeadlineMs)`;
    const upload = required(t, idle, missed);
    if (!isStored(upload)) requireRefusal(t, upload, after);
    const message = `an upload to the workspace of an idle session ${describeUpload(upload)}; expected that it is accepted, as before the session${settleWait(t)}`;
    t.expect(isStored(upload), { exchange: findFailed(upload), message });
  }),
  check('LIFE-05', { needs: [interruptedSession] }, async (t) => {
    const { session } = await t.recording(interruptedSession);
    const statuses = listStatuses(session);
    if (!statuses.includes('running') && hasEnded(session)) t.notTestable('the task ended between two fetches');
    if (!statuses.includes('running')) deadlinePassed(t, 'startDeadlineMs');
    const message = `a session with a slow task was ${statuses.join(', ')}; expected running`;
    t.expect(statuses.includes('running'), { exchange: session.end.exchange, message });
  }),
  check('LIFE-06', { needs: [keptSession], phase: 'last' }, async (t) => {
    await t.recording(keptSession);
    for (const history of sessionHistories(t)) stopsOnRequest(t, history);
  }),
  check('LIFE-07', { needs: [clockedSession] }, (t) => timedOut(t)),
  check('LIFE-18', { needs: [clockedSession] }, (t) => timedOut(t)),
  check('LIFE-09', { needs: [oneShotSession, emptySession] }, async (t) => {
    const session = await t.recording(oneShotSession);
    if (session.end.record['status'] === 'created') deadlinePassed(t, 'taskDeadlineMs');
    const message = `the session was ${listStatuses(session).join(', ')}; expected that it leaves created and runs its task`;
    t.expect(session.end.record['status'] !== 'created', { exchange: session.end.exchange, message });
    const empty = await recordingIfAny(t, emptySession);
    for (const taskless of [empty, empty?.unkept]) if (taskless !== undefined) becomesIdle(t, taskless);
  }),
  check('LIFE-13', { needs: [oneShotSession], phase: 'last' }, async (t) => {
    const session = await t.recording(oneShotSession);
    if (!hasEnded(session)) t.notTestable('the task had not ended');
    const { record, exchange } = session.end;
    const count = carried(t, record, 'stepCount');
    const summary = carried(t, record, 'lastStepSummary');
    if (record['isTaskSuccessful'] === false && count === 0 && summary === null)
      t.notTestable('the task did not achieve its goal, and may have ended before its first step');
    if (count === 0 && summary === null && hasCounted(t)) t.notTestable('the task has ended without a step');
    t.expect(typeof count === 'number' && count > 0 && summary !== null, {
      exchange,
      message: `stepCount is ${show(count)} and lastStepSummary ${show(summary)} after a task; expected that both have changed`,
    });
    summariesFollow(t);
  }),
  check('LIFE-14', { needs: [keptSession] }, async (t) => {
    const { first, followUps } = await t.recording(keptSession);
    ended(t, first, 'idle');
    for (const task of followUps) survives(t, task);
  }),
  check('LIFE-15', { needs: [keptSession] }, async (t) => {
    const { first, followUps } = await t.recording(keptSession);
    const { status } = first.end.record;
    if (status !== 'idle') t.notTestable(`the session was ${show(status)} at the end of its task`);
    const tasks = [first, ...followUps.filter((task) => succeeded(task.dispatched) && hasEnded(task))];
    for (const { end } of tasks.filter((task) => task.end.record['status'] === 'idle')) populated(t, end);
    bookedBeforeStop(t, tasks, (await t.recording(keptSession)).stopped);
  }),
  check('LIFE-16', { needs: [oneShotSession], phase: 'last' }, async (t) => {
    ended(t, await t.recording(oneShotSession), 'stopped');
    for (const history of sessionHistories(t)) stopsByItself(t, history);
  }),
  check('V3-CREATE-08', { needs: [oneShotSession] }, async (t) =>
    ended(t, await t.recording(oneShotSession), 'stopped'),
  ),
  check('LIFE-17', { needs: [keptSession, interruptedSession], phase: 'last' }, async (t) => {
    const kept = await t.recording(keptSession);
    const interrupted = await t.recording(interruptedSession);
    await restsAfterStop(t, interrupted);
    stoppedEnds(t, interrupted.stopped);
    stoppedEnds(t, kept.stopped);
  }),
  check('V3-STOP-02', { needs: [keptSession] }, async (t) => stoppedEnds(t, (await t.recording(keptSession)).stopped)),
  check('V3-STOP-03', { needs: [emptySession] }, async (t) => {
    const { unkept, stopped, stoppedIdle } = await t.recording(emptySession);
    if (unkept?.end.record['status'] === 'idle') hasStopped(t, stoppedIdle, 'a session without a task');
    const without = 'no further session was created, or the target file names no stop';
    const atOnce = required(t, stopped, without);
    if (!succeeded(atOnce.exchange))
      t.notTestable(`the stop of a session that had just been created ${describeAnswer(atOnce.exchange)}`);
    hasStopped(t, atOnce, 'a session that had just been created');
  }),
  check('V3-STOP-01', { needs: stoppedSessions, phase: 'last' }, async (t) => {
    await runScenarios(t, keptSession);
    expectWorks(t, 'v3.stopSession');
    const { before, exchange } = requireStop(t, (await t.recording(keptSession)).stopped);
    const status = toText(before.record['status']);
    if (endStates.includes(status) && !succeeded(exchange))
      t.notTestable(`the session was ${status} before it was stopped`);
    t.expect(succeeded(exchange), {
      exchange,
      message: `the stop operation ${describeAnswer(exchange)}; expected success`,
    });
    answersStop(t, (await recordingIfAny(t, interruptedSession))?.stopped);
  }),
  check('LIFE-21', { needs: [emptySession] }, async (t) => {
    const { unkept, ...kept } = await t.recording(emptySession);
    for (const taskless of [kept, unkept]) if (taskless !== undefined) becomesIdle(t, taskless);
  }),
  check('LIFE-20', { needs: [oneShotSession] }, (t) => followed(t)),
  check('V3-GET-04', { needs: [oneShotSession] }, (t) => followed(t)),
];

/** Returns the refused answer of an upload: to its reservation, or to the content of a file. */
function findFailed({ reserved, sent }: Stored): Exchange {
  return sent.find((exchange) => !succeeded(exchange)) ?? reserved;
}

function describeUpload(upload: Stored): string {
  const failed = findFailed(upload);
  return succeeded(failed) ? 'has no URL for its content' : describeAnswer(failed);
}

/**
 * Ends the check as not testable if the session was not idle after a failed upload, or if the failure says nothing about
 * the upload.
 */
function requireRefusal(t: CheckContext, upload: Stored, after: Observation | undefined): void {
  const status = toText(after?.record['status']);
  if (status !== 'idle') t.notTestable(`the session was ${status} after the upload`);
  const failed = findFailed(upload);
  if (failed.status === 0 || saysNothing(failed)) t.notTestable(`an upload in idle ${describeAnswer(failed)}`);
}

/**
 * Judges that a session without a task is idle once its sandbox is healthy. A session that has timed out or failed is
 * not judged.
 */
function becomesIdle(t: CheckContext, session: TaskObservation): void {
  const status = toText(session.end.record['status']);
  if (status === 'created') deadlinePassed(t, 'startDeadlineMs');
  if (['timed_out', 'error'].includes(status)) return;
  const message = `a session without a task was ${listStatuses(session).join(', ')}; expected idle once its sandbox is healthy`;
  t.expect(status === 'idle', { exchange: session.end.exchange, member: '/status', message });
}

/**
 * Judges that a session whose creation and follow-ups all have `keepAlive` true is stopped only after another request
 * that changes it, or because it has spent its cost ceiling. Refused follow-ups do not count.
 */
function stopsOnRequest(t: CheckContext, { creation, changes, fetches }: SessionHistory): void {
  const asked = changes.find((change) => !isFollowUp(change) && change !== creation?.exchange);
  const followUps = changes.filter((change) => mayBeginTask(change));
  const bodies = [creation?.body, ...followUps.map((followUp) => requestObject(followUp))];
  if (bodies.some((body) => body?.['keepAlive'] !== true)) return;
  const endMs = asked?.atMs ?? Infinity;
  for (const { record, exchange } of fetches.filter((seen) => seen.exchange.atMs < endMs)) {
    const isWrong = record['status'] === 'stopped' && !hasSpentCeiling(record);
    const message = 'a session with keepAlive true was stopped without a stop request; expected idle after each task';
    t.expect(!isWrong, { exchange, member: '/status', message });
  }
}

/** Judges that a session has the status `stopped` after a stop that succeeded. */
function hasStopped(t: CheckContext, stop: StoppedSession | undefined, which: string): void {
  if (stop === undefined || !succeeded(stop.exchange)) return;
  const { record, exchange } = stop.session.end;
  const message = `${which} is ${show(record['status'])} after its stop (${describeAnswer(stop.exchange)}); expected stopped${settleWait(t)}`;
  t.expect(record['status'] === 'stopped', { exchange, member: '/status', message });
}

/**
 * Judges that a session is never idle after its task if its last creation or follow-up that was not refused had
 * keepAlive false.
 */
function stopsByItself(t: CheckContext, { creation, changes, fetches }: SessionHistory): void {
  const last = changes.findLast((change) => mayBeginTask(change));
  const body = last === undefined ? creation?.body : requestObject(last);
  if (body?.['keepAlive'] !== false) return;
  const sentMs = last?.atMs ?? 0;
  const began = fetches.findIndex(({ record, exchange }) => exchange.atMs >= sentMs && record['status'] === 'running');
  for (const { record, exchange } of began === -1 ? [] : fetches.slice(began)) {
    const isKept = record['status'] === 'idle' && typeof record['isTaskSuccessful'] === 'boolean';
    const message = 'a session with keepAlive false is idle after its task; expected stopped';
    t.expect(!isKept, { exchange, member: '/status', message });
  }
}

/**
 * Judges that a record after a task shows the outcome and the costs of the task, and an output if the task achieved its
 * goal.
 */
function populated(t: CheckContext, { record, exchange }: Observation): void {
  const success = carried(t, record, 'isTaskSuccessful');
  const message = `isTaskSuccessful is ${show(success)} after the task; expected true or false`;
  t.expect(typeof success === 'boolean', { exchange, member: '/isTaskSuccessful', message });
  const output = record['output'] ?? null;
  const without = 'output is null after a task that achieved its goal; expected the output of the agent';
  t.expect(success !== true || output !== null, { exchange, member: '/output', message: without });
  const costs = Object.entries(record).filter(([name]) => name.endsWith('CostUsd') && name !== 'maxCostUsd');
  for (const [name, value] of costs)
    t.expect(typeof value === 'string', {
      exchange,
      message: `${name} is ${show(value)} after the task; expected a decimal string`,
    });
}

/** Minimum number of ended tasks after which an idle session must show a cost. */
const bookedTasks = 3;

/**
 * Judges that an idle session with several ended tasks shows their cost before its stop, if its record shows a cost
 * after the stop.
 */
function bookedBeforeStop(t: CheckContext, tasks: readonly TaskObservation[], stopped: KeptSession['stopped']): void {
  const [first] = tasks;
  const after = stopped?.after.at(-1);
  if (first === undefined || stopped === undefined || after === undefined || tasks.length < bookedTasks) return;
  const { record, exchange } = stopped.before;
  const restMs = isControlled(t.target) ? 0 : t.target.polling.settleDeadlineMs;
  if (record['status'] !== 'idle' || exchange.atMs - first.end.exchange.atMs < restMs) return;
  const [was, is] = [record['llmCostUsd'], after.record['llmCostUsd']];
  const message = `llmCostUsd was ${show(was)} in an idle session after ${tasks.length} tasks, and is ${show(is)} after its stop; expected the cost of the tasks while the session is idle`;
  t.expect(Number(was ?? 0) !== 0 || !(Number(is) > 0), { exchange, member: '/llmCostUsd', message });
}

async function legalSteps(t: CheckContext): Promise<void> {
  if (t.drives(keptSession)) await t.recording(keptSession);
  const bySession = Map.groupBy(await recordsSeen(t), ({ record }) => toText(record['id']));
  for (const seen of bySession.values()) {
    let before: Observation | undefined;
    for (const observation of seen) {
      const from = toText(before?.record['status'] ?? observation.record['status']);
      const to = toText(observation.record['status']);
      const message = `a session was ${to} after it had been ${from}; expected the order created, idle, running, idle and then an end`;
      t.expect(isLegalStep(from, to), { exchange: observation.exchange, member: '/status', message });
      before = observation;
    }
  }
}

async function timedOut(t: CheckContext): Promise<void> {
  const { before, inactive, restsMs } = await t.recording(clockedSession);
  if (inactive === undefined)
    throw new NotTestable('the target file states no inactivity period (limits.inactivityMs)');
  countsSinceTask(t, before, restsMs);
  const status = toText(before.record['status']);
  if (status !== 'idle') t.notTestable(`the session was ${status}, not idle, before the inactivity period`);
  // The contract states no period. A target file that keeps the default period may not describe this target.
  const { inactivityMs } = t.target.limits;
  const isGuess = inactivityMs === defaultTarget.limits.inactivityMs && !isControlled(t.target);
  if (inactive.record['status'] === 'idle' && isGuess)
    t.notTestable(`the session was still idle after ${inactivityMs} ms (limits.inactivityMs of the target file)`);
  const message = `the session is ${show(inactive.record['status'])} after the inactivity period; expected timed_out`;
  t.expect(inactive.record['status'] === 'timed_out', { exchange: inactive.exchange, member: '/status', message });
}

/**
 * Judges that a task begins the inactivity period anew. A session that was idle for some time before its task, without
 * a time-out, must not time out when less time has passed since the task. Judges nothing unless `limits.inactivityMs`
 * of the target file is longer than the time since the task.
 */
function countsSinceTask(
  t: CheckContext,
  { record, exchange }: Observation,
  { beforeTask, afterTask }: ClockedSession['restsMs'],
): void {
  if (beforeTask <= afterTask || (t.target.limits.inactivityMs ?? 0) <= afterTask) return;
  const message = `the session is timed_out ${afterTask} ms after its task, and had been idle for ${beforeTask} ms before it; expected that the task begins the inactivity period anew`;
  t.expect(record['status'] !== 'timed_out', { exchange, member: '/status', message });
}

function ended(t: CheckContext, task: TaskObservation, want: string): void {
  const { record, exchange } = task.end;
  const status = toText(record['status']);
  // A task that achieved its goal counts as completed, whatever status the session shows afterwards.
  const achieved = record['isTaskSuccessful'] === true;
  if (['error', 'timed_out'].includes(status) && !achieved) t.notTestable(`the session ended as ${status}`);
  if (!hasEnded(task)) t.notTestable(`the task had not ended after ${t.target.polling.taskDeadlineMs} ms`);
  t.expect(status === want, {
    exchange,
    member: '/status',
    message: `the session is ${status} after its task; expected ${want}`,
  });
}

/**
 * Judges that a session is not in error after a follow-up that has achieved its goal: the outcome must be that of this
 * follow-up, so a fetch must have shown it running without an outcome. A session that has spent its cost ceiling is not
 * judged.
 */
function survives(t: CheckContext, { request, fetches, end: { record, exchange } }: TaskObservation): void {
  const ran = fetches.some((one) => one.record['status'] === 'running' && one.record['isTaskSuccessful'] === null);
  if (!ran || record['isTaskSuccessful'] !== true || hasSpentCeiling(record)) return;
  const message = `the session is in error after the follow-up ${show(request)}, which has achieved its goal; expected idle`;
  t.expect(record['status'] !== 'error', { exchange, member: '/status', message });
}

/**
 * Returns true if a session of the run has counted a step. The target then counts steps, and a task without a counted
 * step has taken none.
 */
function hasCounted(t: CheckContext): boolean {
  return sessionHistories(t).some(({ fetches }) => fetches.some(({ record }) => Number(record['stepCount']) > 0));
}

function requireStop(t: CheckContext, stopped: KeptSession['stopped']): NonNullable<KeptSession['stopped']> {
  if (stopped === undefined) return t.notTestable('the target file names no stop operation (v3.stop)');
  const { exchange } = stopped;
  // Whether the operation works at all is judged by all its answers (V3-STOP-01).
  if (exchange.status >= 500) t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
  return stopped;
}

/**
 * Returns the scenarios that stop a session. Without a slow task in the target file, only an idle session is stopped.
 */
function stoppedSessions(target: Target): readonly AnyScenario[] {
  return interruptedSession.unavailable?.(target) === undefined ? [keptSession, interruptedSession] : [keptSession];
}

/** Judges the stop of a session whose task runs: if the session was stopped, the answer must not be a server error. */
function answersStop(t: CheckContext, stopped: KeptSession['stopped']): void {
  const status = stopped?.after.at(-1)?.record['status'];
  if (stopped === undefined || status !== 'stopped') return;
  const { exchange } = stopped;
  const message = `the stop of a session whose task runs ${describeAnswer(exchange)}, and the session was stopped; expected success`;
  t.expect(!isServerError(exchange.status), { exchange, message });
}

function stoppedEnds(t: CheckContext, stopped: KeptSession['stopped']): void {
  const { before, exchange, after } = requireStop(t, stopped);
  const was = toText(before.record['status']);
  const last = after.at(-1);
  const status = toText(last?.record['status']);
  const hadEnded = endStates.includes(was) && (was !== 'stopped' || status === 'stopped');
  if (hadEnded) t.notTestable(`the session was ${was} before the stop`);
  t.expect(status === 'stopped', {
    exchange: last?.exchange ?? exchange,
    ...(last === undefined ? {} : { member: '/status' }),
    message: `the session is ${status} after the stop operation ${describeAnswer(exchange)}; expected stopped${settleWait(t)}`,
  });
}

/** Number of steps that a service may still count after the stop of a running session. */
const lateSteps = 3;

/**
 * Judges that the task of a session that was stopped while it ran does not continue. Reads the session again at the end
 * of the suite's run.
 */
async function restsAfterStop(t: CheckContext, { session, stopped }: InterruptedSession): Promise<void> {
  const end = stopped?.after.find(({ record }) => record['status'] === 'stopped');
  if (end === undefined) return;
  const exchange = await t.sessions.get(session.id);
  const record = sessionRecord(exchange);
  // The service may have removed the session; other checks judge failed reads.
  if (record === undefined) return;
  const message = `a session that was stopped is ${show(record['status'])} at the end of the run; expected stopped`;
  t.expect(record['status'] === 'stopped', { exchange, member: '/status', message });
  const [was, is] = [Number(end.record['stepCount'] ?? 0), Number(record['stepCount'] ?? 0)];
  const later = `a session that was stopped after ${was} steps has ${is} at the end of the run; expected that its task has ended`;
  t.expect(!(is > was + lateSteps), { exchange, member: '/stepCount', message: later });
}

async function followed(t: CheckContext): Promise<void> {
  const session = await t.recording(oneShotSession);
  if (!hasEnded(session)) deadlinePassed(t, 'taskDeadlineMs');
  t.expect(hasEnded(session), {
    exchange: session.end.exchange,
    message: `polling showed ${listStatuses(session).join(', ')} for ${t.target.polling.taskDeadlineMs} ms; expected the end of the task`,
  });
}

/** Returns the statuses of a task in order, without consecutive repetitions. */
function listStatuses({ fetches }: TaskObservation): string[] {
  const statuses = fetches.map(({ record }) => toText(record['status']));
  return statuses.filter((status, index) => status !== statuses[index - 1]);
}

const sessionMachine = findMachine('session');

/** Returns true if a poll may show the status `to` after `from`. Polls may miss statuses in between. */
export function isLegalStep(from: string, to: string): boolean {
  return isLegal(sessionMachine, { from, to });
}

/** Checks of V3 sessions whose sandbox failed because of a fault that the control URL injected. */
export const sessionFailureChecks: readonly Check[] = [
  check('LIFE-08', { needs: [failedStart, crashedSession] }, async (t) => {
    const failures = [await t.recording(failedStart), crashed(t, await t.recording(crashedSession))];
    for (const { session, later } of failures) {
      const { record, exchange } = later ?? session.end;
      const message = `a session whose sandbox had failed is ${show(record['status'])} when it is looked at again; expected error for good`;
      t.expect(record['status'] === 'error', { exchange, member: '/status', message });
      t.expect(record['isTaskSuccessful'] !== true, {
        exchange,
        member: '/isTaskSuccessful',
        message: 'isTaskSuccessful is true in a session whose sandbox had failed; expected false or null',
      });
    }
  }),
  check('LIFE-10', { needs: [failedStart] }, async (t) => {
    const { session, later } = await t.recording(failedStart);
    const statuses = session.fetches.map(({ record }) => toText(record['status']));
    if (later === undefined) deadlinePassed(t, 'startDeadlineMs');
    const message = `a session whose sandbox cannot start was ${statuses.join(', ')}; expected created and then error`;
    const legal = statuses.every((status) => ['created', 'error'].includes(status));
    t.expect(legal && statuses.at(-1) === 'error', { exchange: session.end.exchange, member: '/status', message });
  }),
  check('LIFE-19', { needs: [crashedSession] }, async (t) => {
    const { session, before, later } = crashed(t, await t.recording(crashedSession));
    const { record, exchange } = session.end;
    if (later === undefined) deadlinePassed(t, 'startDeadlineMs');
    const message = `a session was ${toText(before)}, and after the loss of its sandbox it is ${show(record['status'])}; expected error`;
    t.expect(record['status'] === 'error', { exchange, member: '/status', message });
  }),
];

function crashed(t: CheckContext, failed: FailedSandbox): FailedSandbox {
  const { before } = failed;
  // Only a running session can lose its sandbox.
  if (before !== 'running')
    t.notTestable(`the session was ${toText(before)}, not running, before its sandbox was lost`);
  return failed;
}
