import { toText, sameSet } from '../../core/json.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, refused, type Exchange, isCapacity, succeeded } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import { codeModel, codeSession } from '../v3-sessions/scenarios-outputs.ts';
import { type EarlyFollowUp, earlyFollowUp, type IdleFollowUps } from '../v3-sessions/scenarios.ts';
import { refusedFollowUps } from '../v3-sessions/scenarios-follow-ups.ts';
import { keptModel, keptSession } from '../v3-sessions/scenarios-kept.ts';
import { hasEnded, type Observation, type TaskObservation, wasRunning } from '../../common/observed-session.ts';
import { levelCells } from '../../common/level-cells.ts';
import { required } from '../../common/judgement.ts';
import { deadlinePassed, isControlled } from '../../common/target-facts.ts';
import {
  blamesLevel,
  concernsOtherMembers,
  levelTemplate,
  saysNothing,
  supportedList,
  collectTexts,
  splitWords,
} from '../../common/refusals.ts';
import { carried, recordingIfAny } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';

/** Checks of follow-up tasks in a V3 session, and of the rules for the level of a follow-up. */
export const followUpChecks: readonly Check[] = [
  check('V3-FOLLOW-01', { needs: [keptSession] }, async (t) => {
    const { followUps } = await t.recording(keptSession);
    for (let index = 0; index < Math.max(1, followUps.length); index += 1) await dispatched(t, index);
  }),
  check('LIFE-03', { needs: [keptSession] }, (t) => dispatched(t, 0)),
  check('V3-FOLLOW-02', { needs: [keptSession, refusedFollowUps] }, async (t) => {
    await levelsUnblamed(t);
    await dispatched(t, 0);
    if ((await t.recording(keptSession)).followUps.length > 1) await dispatched(t, 1);
  }),
  check('V3-FOLLOW-03', { needs: [codeSession] }, async (t) => {
    const recorded = await t.recording(codeSession);
    const sent = required(t, recorded.followUp, 'the session in code mode took no follow-up');
    const { dispatched: exchange, request } = sent;
    if (concernsOtherMembers(exchange)) t.notTestable('another member of the follow-up was refused');
    // The contract shows no code mode in a follow-up that has an operation of its own.
    if (exchange.status === 422 && t.target.v3?.followUp?.path !== '/sessions' && !blamesLevel(exchange))
      t.notTestable('the follow-up was refused without a word about its level');
    const message = `a follow-up with thinkingLevel ${show(request['thinkingLevel'])} for a session on ${codeModel} ${describeAnswer(exchange)}; expected that the level is accepted, as for the model behind the alias`;
    t.expect(exchange.status !== 422, { exchange, message });
  }),
  check('V3-FOLLOW-04', { needs: [earlyFollowUp] }, async (t) => {
    const { first, before: idle } = await idleFollowUps(t);
    const early = await t.recording(earlyFollowUp);
    neverRan(t, early.exchange, idle);
    // Where a sandbox starts at once, the early follow-up was the first task of an idle session, and has run.
    const wasFirst = first === undefined && wasIdleTask(early, idle);
    if (wasFirst) return t.expect(true, { exchange: early.exchange, message: 'a first task has run' });
    const sent = required(t, first, 'the early follow-up, or one with an unsupported level, had been accepted before');
    const { dispatched: exchange, before } = sent;
    if (before?.['status'] !== 'idle')
      t.notTestable(`the session was ${show(before?.['status'])} before its first task`);
    if (exchange.status !== 409 && isCapacity(exchange.status))
      t.notTestable(`the first task ${describeAnswer(exchange)}`);
    const message = `a first task ${show(sent.request)} for an idle session ${describeAnswer(exchange)}; expected success`;
    t.expect(succeeded(exchange), { exchange, message });
    if (!wasRunning(sent) && !hasEnded(sent)) deadlinePassed(t, 'taskDeadlineMs');
    const idler = `the session is ${show(sent.end.record['status'])} after a first task that it has accepted, and never ran it; expected that the task runs`;
    const didRun = wasRunning(sent) || hasEnded(sent);
    return t.expect(didRun, { exchange: sent.end.exchange, member: '/status', message: idler });
  }),
  check('V3-FOLLOW-05', { needs: [earlyFollowUp, refusedFollowUps] }, async (t) => {
    await unsupportedRefused(t);
    const { cell, unsupported: exchange } = await idleFollowUps(t);
    if (isCapacity(exchange.status)) t.notTestable(`the follow-up ${describeAnswer(exchange)}`);
    const message = `thinkingLevel ${cell.level} in a follow-up for a session on ${cell.model} ${describeAnswer(exchange)}; expected 422`;
    t.expect(exchange.status === 422, { exchange, message });
  }),
  check('V3-FOLLOW-06', { needs: [earlyFollowUp] }, async (t) => {
    await invalidRefused(t, (member) => member === 'thinkingLevel');
  }),
  check('V3-FOLLOW-07', { needs: [earlyFollowUp] }, async (t) => {
    if (t.target.v3?.followUp?.path !== '/sessions')
      t.notTestable(
        'follow-ups have an operation of their own, whose members the contract does not show (v3.followUp)',
      );
    await invalidRefused(t, (member) => member !== 'thinkingLevel');
  }),
  check('LIFE-11', { needs: [keptSession] }, async (t) => {
    const { followUps } = await t.recording(keptSession);
    const sent = followUps.filter((task) => succeeded(task.dispatched));
    if (sent.length === 0) t.notTestable('no follow-up was accepted');
    const ran = sent.some((task) => wasRunning(task));
    if (!ran && sent.every((task) => hasEnded(task))) t.notTestable('every task ended between two fetches');
    if (!ran) deadlinePassed(t, 'taskDeadlineMs');
    t.expect(ran, {
      exchange: sent[0]?.dispatched,
      message: 'no follow-up brought the session to running; expected that an accepted task runs',
    });
    if (isControlled(t.target)) for (const task of sent) leavesIdle(t, task);
  }),
  check('V3-THINK-26', { needs: [keptSession] }, async (t) => {
    for (const [before, omitted] of [
      [1, 2],
      [3, 4],
    ] as const) {
      const level = carried(t, (await followUp(t, before)).end.record, 'thinkingLevel');
      const sent = await followUp(t, omitted);
      if (!('thinkingLevel' in sent.request)) shows(t, sent, level === null ? null : toText(level));
    }
  }),
  check('V3-THINK-27', { needs: [keptSession] }, async (t) => {
    shows(t, await followUp(t, 0), 'high');
    shows(t, await followUp(t, 1), 'disabled');
    shows(t, await followUp(t, 2), 'disabled');
    const last = (await t.recording(keptSession)).followUps[4];
    if (last === undefined || !succeeded(last.dispatched) || !('thinkingLevel' in last.request)) return;
    shows(t, last, toText(last.request['thinkingLevel']));
  }),
  check('V3-THINK-28', { needs: [keptSession] }, async (t) => {
    const exchange = (await t.recording(keptSession)).followUps[3]?.dispatched;
    const message = 'a follow-up with thinkingLevel null was refused with 422; expected that null clears the level';
    if (exchange !== undefined && concernsOtherMembers(exchange))
      t.notTestable('another member of the follow-up was refused');
    t.expect(exchange?.status !== 422, { exchange, message });
    shows(t, await followUp(t, 3), null);
  }),
  check('V3-THINK-29', { needs: [keptSession] }, async (t) => {
    const { unsupported } = await t.recording(keptSession);
    if (unsupported.length === 0) throw new NotTestable('no follow-up could be sent');
    for (const { level, exchange, after } of unsupported) {
      if (exchange.status === 409) t.notTestable('the session was not idle');
      if (saysNothing(exchange)) t.notTestable(`the follow-up ${describeAnswer(exchange)}`);
      const message = `thinkingLevel ${level} for a session on ${keptModel} ${describeAnswer(exchange)}; expected 422`;
      t.expect(exchange.status === 422, { exchange, message });
      const list = supportedList(exchange, levelTemplate([keptModel], level));
      const isNamed = list !== undefined && sameSet(splitWords(list), keptLevels);
      const text = `the text of the refused follow-up is ${show(collectTexts(exchange))}; expected Model "${keptModel}" (provider "<provider>") does not support thinking_level="${level}". Supported values: ${keptLevels.join(', ')}`;
      t.expect(exchange.status !== 422 || isNamed, { exchange, message: text });
      const status = toText(after.record['status']);
      t.expect(exchange.status !== 422 || status !== 'running', {
        exchange: after.exchange,
        message: `the session is ${status} after the refused follow-up; expected that nothing was dispatched`,
      });
    }
  }),
];

/**
 * Judges that a level that the model of an idle session does not support is refused with 422, or with any 4xx in a
 * follow-up that names another model.
 */
async function unsupportedRefused(t: CheckContext): Promise<void> {
  const sent = (await recordingIfAny(t, refusedFollowUps))?.unsupported ?? [];
  for (const { cell, named, exchange } of sent.filter((one) => !isCapacity(one.exchange.status))) {
    const beside = named === undefined ? '' : ` that names ${named}`;
    const message = `thinkingLevel ${cell.level} in a follow-up${beside} for an idle session on ${cell.model} ${describeAnswer(exchange)}; expected 422`;
    // A follow-up that names another model may be refused for that reason.
    const isRefused = exchange.status === 422 || (named !== undefined && refused(exchange));
    t.expect(isRefused, { cell: `${cell.key}${beside}`, exchange, message });
  }
}

/**
 * Judges that no 422 names the level as the cause if the follow-up had a supported level or none. These follow-ups were
 * sent after the end of their session, so that each is refused in any case.
 */
async function levelsUnblamed(t: CheckContext): Promise<void> {
  const sent = (await recordingIfAny(t, refusedFollowUps))?.late ?? [];
  for (const { model, level, exchange } of sent) {
    const isBlamed = exchange.status === 422 && blamesLevel(exchange);
    const what = level === undefined ? 'without thinkingLevel' : `with thinkingLevel ${level}`;
    const message = `a follow-up ${what} for a session on ${model} was refused for its level: ${show(collectTexts(exchange))}; expected that the level is accepted`;
    t.expect(!isBlamed, { cell: `${model} ${level ?? 'no level'}`, exchange, message });
  }
}

/**
 * Judges that a session whose follow-up was accepted is not idle at the task deadline if no fetch has shown it running
 * and the task has not ended.
 */
function leavesIdle(t: CheckContext, task: TaskObservation): void {
  const { exchange, record } = task.end;
  const isIdle = record['status'] === 'idle' && !wasRunning(task) && !hasEnded(task);
  const message = `a follow-up that was accepted (${describeAnswer(task.dispatched)}) has left the session idle for ${t.target.polling.taskDeadlineMs} ms without a result; expected that it runs`;
  t.expect(!isIdle, { exchange, member: '/status', message });
}

/**
 * Returns true if the session was already idle before the follow-up that was sent right after its creation, accepted
 * this follow-up, and shows the outcome of a task.
 */
function wasIdleTask({ before, exchange }: EarlyFollowUp, { record }: Observation): boolean {
  return before === 'idle' && succeeded(exchange) && typeof record['isTaskSuccessful'] === 'boolean';
}

/**
 * Judges that a follow-up that was sent right after the creation of a session, and was accepted, has begun: the
 * observation must show a step or an outcome. Judges only a target that the tester controls (`isControlled`).
 */
function neverRan(t: CheckContext, early: Exchange, { record, exchange }: Observation): void {
  const hasBegun = record['stepCount'] !== 0 || record['isTaskSuccessful'] !== null;
  if (!succeeded(early) || hasBegun || !isControlled(t.target)) return;
  const message = `a task that was accepted (${describeAnswer(early)}) has left the session idle for ${t.target.polling.startDeadlineMs} ms without a step; expected that it runs, or is refused`;
  t.expect(false, { exchange, member: '/status', message });
}

/** Judges that follow-ups with an invalid value of a selected member are refused with 422. */
async function invalidRefused(t: CheckContext, isOne: (member: string) => boolean): Promise<void> {
  const sent = (await idleFollowUps(t)).invalid.filter(({ member }) => isOne(member));
  if (sent.length === 0) t.notTestable('a follow-up before them was accepted');
  for (const { member, value, exchange } of sent.filter((one) => !isCapacity(one.exchange.status))) {
    const message = `${member} ${show(value)} in a follow-up ${describeAnswer(exchange)}; expected 422`;
    t.expect(exchange.status === 422, { cell: `${member} ${show(value)}`, exchange, message });
  }
}

async function idleFollowUps(t: CheckContext): Promise<IdleFollowUps> {
  const { idle } = await t.recording(earlyFollowUp);
  return idle ?? t.notTestable('the session without a task did not become idle');
}

/** Levels that `keptModel` supports, the model of the session of the scenario `keptSession`. */
const keptLevels = levelCells('v3').find(({ model }) => model === keptModel)?.supported ?? [];

async function followUp(t: CheckContext, index: number): Promise<TaskObservation> {
  const { first, followUps } = await t.recording(keptSession);
  const sent = followUps[index];
  if (sent !== undefined && succeeded(sent.dispatched)) return sent;
  const last = followUps.at(-1);
  if (last === undefined) {
    return t.notTestable(
      t.target.v3?.followUp === null
        ? 'the target file names no follow-up operation (v3.followUp)'
        : `the session was ${show(first.end.record['status'])} after its first task`,
    );
  }
  return t.notTestable(`follow-up ${followUps.length} ${describeAnswer(last.dispatched)}`);
}

async function dispatched(t: CheckContext, index: number): Promise<void> {
  const sent = (await t.recording(keptSession)).followUps[index];
  if (sent === undefined) {
    await followUp(t, index);
    return;
  }
  const exchange = sent.dispatched;
  const { status } = exchange;
  // An idle record can precede a task that was accepted and has not begun.
  const wasIdle = sent.before?.['status'] === 'idle' && sent.end.record['status'] === 'idle';
  if (status === 409 ? !wasIdle : isCapacity(status)) {
    const around = [sent.before?.['status'], sent.end.record['status']].map(show).join(' and then ');
    t.notTestable(`the follow-up ${describeAnswer(exchange)}; the session was ${around}`);
  }
  // The contract shows no schema in a follow-up, and does not state which parts of JSON Schema a service takes.
  if (
    status === 422 &&
    'outputSchema' in sent.request &&
    collectTexts(exchange).some((text) => /output_?schema/i.test(text))
  )
    t.notTestable('the schema of the follow-up was refused');
  const message = `a follow-up ${show(sent.request)} to an idle session ${describeAnswer(exchange)}; expected success`;
  t.expect(succeeded(exchange), { exchange, message });
}

function shows(t: CheckContext, task: TaskObservation, want: string | null): void {
  const { request, end } = task;
  if (!hasEnded(task)) t.notTestable(`the task had not ended after ${t.target.polling.taskDeadlineMs} ms`);
  const level = carried(t, end.record, 'thinkingLevel');
  const sent = 'thinkingLevel' in request ? `thinkingLevel ${show(request['thinkingLevel'])}` : 'no thinkingLevel';
  const message = `thinkingLevel is ${show(level)} after a follow-up with ${sent}; expected ${show(want)}`;
  t.expect(level === want, { exchange: end.exchange, message });
}
