import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, type Exchange, isNotServed, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt, isSame, type JsonObject, type JsonValue, toText } from '../../core/json.ts';
import type { JobSnapshot } from '../../core/apis.ts';
import { jobPhase, type JobKind, unwatchableReason } from '../../core/job-target.ts';
import { ifTestable, NotTestable } from '../../core/outcome.ts';
import { requestObject } from '../../core/request-json.ts';
import type { AnyScenario, Scenario } from '../../core/scenario.ts';
import type { Generation, Target } from '../../core/target.ts';
import { type InterruptedJob, interruptedTask, oneShotRun, uninterruptibleReason } from './scenarios.ts';
import { isOver, lookAfter, type ObservedJob } from '../../common/observed-job.ts';
import { type OneShotJob, oneShotTask } from '../../common/one-shot-job.ts';
import { hasEnded, oneShotSession } from '../../common/observed-session.ts';
import { deadlinePassed, isOwnTask, settleWait } from '../../common/target-facts.ts';
import { recordingIfAny } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { expectOwnResults } from '../../common/watched-jobs.ts';
import { failingSession } from '../v3-sessions/scenarios.ts';
import { interruptedSession } from '../v3-sessions/scenarios-kept.ts';
import type { Bystander } from '../../common/observed-browser.ts';
import { isSameContent } from '../../common/signed-urls.ts';

/** Checks of V2 tasks, V3 sessions and V4 runs during polling. */
export const watchedJobChecks: readonly Check[] = [
  check('SVC-01', { needs: pollable, phase: 'last' }, (t) => goalsFollowed(t)),
  check('V4-RUN-26', { needs: [oneShotRun] }, async (t) => {
    const { after, later } = await endedRun(t);
    // The later run may have a task that fails, and a failed run may have no outcome.
    const laterEnd = later?.watched?.after.filter((look) => look.phase === 'completed') ?? [];
    for (const look of [...after, ...laterEnd]) judgeResult(t, look);
  }),
  check('V4-RUN-27', { needs: [oneShotRun], phase: 'last' }, async (t) => {
    const run = await t.recording(oneShotRun);
    followed(t, 'run', run);
    const { watched } = run.later ?? {};
    if (watched === undefined) return;
    for (const exchange of watched.earlier) {
      const message = `a run that had ended ${describeAnswer(exchange)} beside a later run of its session; expected its record`;
      t.expect(![404, 410].includes(exchange.status), { exchange, message });
    }
    followed(t, 'run', watched);
  }),
  check('V4-RUN-28', { needs: [oneShotRun], phase: 'last' }, async (t) => {
    const run = await endedRun(t);
    await keepsResult(t, run);
    outlivesLateStop(t, 'run', run);
    const { watched } = run.later ?? {};
    if (watched !== undefined && watched.looks.some((look) => isOver(look))) await keepsResult(t, watched);
  }),
  check('V4-RUN-32', { needs: [oneShotRun, oneShotSession, failingSession] }, (t) => laterOutcome(t)),
  check('V4-RUN-29', { needs: [oneShotRun], phase: 'last' }, async (t) => {
    const run = await t.recording(oneShotRun);
    const ends: ObservedJob[] = uninterruptibleReason(t.target, 'run') === undefined ? [run, run.interrupted()] : [run];
    if (run.later?.watched !== undefined) ends.push(run.later.watched);
    staysBeside(t, run);
    await listsEnd(t, 'run', run);
    const judged: boolean[] = [];
    for (const job of ends) judged.push(await staysEnded(t, 'run', job));
    if (!judged.includes(true)) t.notTestable('no run was seen to end');
  }),
  check('V2-TASK-09', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    await taskStaysEnded(t, oneShotTask);
    await listsEnd(t, 'task', await t.recording(oneShotTask));
    keepsOutput(t, await t.recording(oneShotTask));
    outlivesLateStop(t, 'task', await t.recording(oneShotTask));
  }),
  check('V2-TASK-11', { needs: [interruptedTask], phase: 'last' }, async (t) => taskStaysEnded(t, interruptedTask)),
  check('V2-TASK-10', { needs: [interruptedTask] }, async (t) =>
    worksOn(t, 'task', await t.recording(interruptedTask)),
  ),
  check('V4-RUN-31', { needs: [oneShotRun] }, async (t) => worksOn(t, 'run', await interruptedRun(t))),
  check('V4-RUN-34', { needs: [oneShotRun] }, async (t) => outlivesReads(t, await interruptedRun(t))),
  check('V2-SES-12', { needs: [oneShotTask] }, async (t) => sameSession(t, await t.recording(oneShotTask))),
  check('V4-SES-13', { needs: [oneShotRun] }, async (t) => sameSession(t, await t.recording(oneShotRun))),
  check('V4-BROWSER-26', { needs: [oneShotRun] }, async (t) => {
    const { looks, bystander } = await t.recording(oneShotRun);
    outlives(t, { looks, bystander, after: 'the end of a run' });
  }),
  check('V4-BROWSER-28', { needs: [interruptedTask] }, async (t) => {
    const { looks, bystander } = await t.recording(interruptedTask);
    outlives(t, { looks, bystander, after: 'the stop of a task and of its session' });
  }),
  check('V4-BROWSER-29', { needs: [interruptedSession] }, async (t) => {
    const { bystander } = await t.recording(interruptedSession);
    remains(t, bystander, 'the stop of a session and the deletion of another one');
  }),
  check('V4-RUN-30', { needs: [oneShotRun] }, async (t) => stopped(t, 'run', await interruptedRun(t))),
  check('V2-TASK-08', { needs: [interruptedTask] }, async (t) =>
    stopped(t, 'task', await t.recording(interruptedTask)),
  ),
];

/** Judges that the result of a later run is not that of the earlier run of its session. */
async function laterOutcome(t: CheckContext): Promise<void> {
  const { after, marker, later } = await t.recording(oneShotRun);
  const [first, second] = [after, later?.watched?.after ?? []].map((looks) => looks.findLast((look) => isOver(look)));
  if (typeof first?.result !== 'string' || typeof second?.result !== 'string')
    return t.notTestable('no two runs of one session have shown a result');
  const { exchange } = second;
  const runs = { exchange, first: first.result, second: second.result };
  if (later?.marker === undefined) return failsInOwnWords(t, runs);
  expectOwnResults(t, 'run', [{ key: 'empty modelParams', marker: later.marker, after: [second] }]);
  const isMarked = marker !== undefined && runs.first.includes(marker);
  return t.expect(!isMarked || !isContinued(runs), { exchange, message: describeContinued(runs) });
}

/** The results of two runs of one session, and the answer that shows the later result. */
interface TwoResults {
  exchange: Exchange;
  first: string;
  second: string;
}

/** Returns true if the later result begins with the whole earlier result. */
function isContinued({ first, second }: TwoResults): boolean {
  return second.length > first.length && second.startsWith(first);
}

function describeContinued({ second }: TwoResults): string {
  return `the result of a later run is ${show(second)}, which begins with the whole result of the earlier run of its session; expected the outcome of its own task`;
}

/**
 * Judges that the result of a later run, whose task fails, is not that of the earlier run, whose task succeeds, neither
 * alone nor with the outcome of the failing task behind it.
 */
async function failsInOwnWords(t: CheckContext, runs: TwoResults): Promise<void> {
  const { first, second, exchange } = runs;
  const { success, failure } = await requireDifferentTexts(t, first);
  const message = `a run with a task that fails has the result ${show(second)} of the earlier run, whose task succeeds; expected its own outcome`;
  t.expect(second !== first, { exchange, message });
  const isJoined = success === first && isContinued(runs) && second.slice(first.length).endsWith(failure);
  return t.expect(!isJoined, { exchange, message: describeContinued(runs) });
}

/**
 * Returns the outputs of V3 sessions with the tasks that succeed and fail. Throws NotTestable unless they are different
 * texts. If the target file does not define the task that succeeds, its V3 session must have succeeded with `result`:
 * only then `result` is sure to be about that task.
 */
async function requireDifferentTexts(t: CheckContext, result: string): Promise<{ success: string; failure: string }> {
  if (!isOwnTask(t.target, 'fail')) t.notTestable('the target file gives no task of its own that fails (tasks.fail)');
  const achieved = (await t.recording(oneShotSession)).end.record;
  const [success, failure] = [readText(achieved), readText((await t.recording(failingSession)).end.record)];
  if (success === '' || failure === '' || success === failure)
    t.notTestable('V3 sessions with these tasks have not shown that their outputs differ');
  const isShown = achieved['isTaskSuccessful'] === true && success === result;
  if (!isOwnTask(t.target, 'succeed') && !isShown)
    t.notTestable('no V3 session has shown the result of the earlier run, whose task the target file does not define');
  return { success, failure };
}

/** Returns the output of a session; empty if it is no text. */
function readText({ output }: JsonObject): string {
  return typeof output === 'string' ? output : '';
}

/** A task or run beside a browser, and the event that must not have ended the browser. */
interface Beside extends Pick<ObservedJob, 'looks'>, Pick<OneShotJob, 'bystander'> {
  after: string;
}

/** Judges that a standalone browser was still active after the end of a task or run. */
function outlives(t: CheckContext, { looks, bystander, after }: Beside): void {
  if (bystander !== undefined && !looks.some((look) => isOver(look)))
    return t.notTestable(`nothing was seen to end beside a browser: ${after}`);
  return remains(t, bystander, after);
}

function remains(t: CheckContext, bystander: Bystander | undefined, what: string): void {
  const after = bystander?.after;
  if (after === undefined || t.browsers.hasEnded(after) === undefined)
    return t.notTestable(`no record says whether a browser has ended after ${what}`);
  const message = `the record of a standalone browser says that it has ended after ${what}; expected that only the stop operation stops it`;
  return t.expect(t.browsers.hasEnded(after) === false, { exchange: after, message });
}

/** Returns the one-shot scenario of each generation whose jobs can be polled. */
function pollable(target: Target): readonly AnyScenario[] {
  return [
    ...(target.v3 === null ? [] : [oneShotSession]),
    ...(unwatchableReason(target, 'task') === undefined ? [oneShotTask] : []),
    ...(unwatchableReason(target, 'run') === undefined ? [oneShotRun] : []),
  ];
}

const kinds = { v2: 'task', v4: 'run' } as const;

/**
 * Judges for each generation that polling shows the end of a task. A generation that is not testable does not affect
 * the other generations.
 */
async function goalsFollowed(t: CheckContext): Promise<void> {
  const reasons: string[] = [];
  for (const generation of t.generations) {
    try {
      await goalFollowed(t, generation);
    } catch (error) {
      if (!(error instanceof NotTestable)) throw error;
      reasons.push(`${generation.toUpperCase()}: ${error.message}`);
    }
  }
  await answersTasks(t);
  if (reasons.length === t.generations.length) t.notTestable(reasons.join('; '));
  t.cellTotal(t.generations.length, reasons.join('; '));
}

async function goalFollowed(t: CheckContext, generation: Generation): Promise<void> {
  if (generation !== 'v3') {
    const reason = unwatchableReason(t.target, kinds[generation]);
    if (reason !== undefined) throw new NotTestable(reason);
    const job = await t.recording(generation === 'v2' ? oneShotTask : oneShotRun);
    followed(t, kinds[generation], job);
    if (generation === 'v2') fetched(t, job);
    return;
  }
  const session = await t.recording(oneShotSession);
  if (!hasEnded(session) && !t.deadlines.isGivenUp('session')) deadlinePassed(t, 'taskDeadlineMs');
  const message = `polling a V3 session for ${t.target.polling.taskDeadlineMs} ms did not show the end of its task; expected the end`;
  t.expect(hasEnded(session), { cell: generation, exchange: session.end.exchange, message });
}

/**
 * Judges that the record of a completed V2 task shows its output. Judges only a task that the target file defines
 * itself, which is known to succeed.
 */
function fetched(t: CheckContext, { looks, after }: OneShotJob): void {
  const hasCompleted = looks.at(-1)?.phase === 'completed' && isOwnTask(t.target, 'succeed');
  const last = after.at(-1);
  if (!hasCompleted || last === undefined || (t.target.v2?.output ?? null) === null) return;
  const isHeld = last.phase === 'completed' && (last.result ?? '') !== '';
  const message = `the record of a task that polling has shown as completed is ${show(last.status)} with the output ${show(last.result)}; expected its output`;
  t.expect(isHeld, { cell: 'v2', exchange: last.exchange, message });
}

/** The text that a generation shows as the outcome of an achieved task, and the text of that task. */
interface Outcome {
  cell: Generation;
  exchange: Exchange;
  task: JsonValue | undefined;
  outcome: string;
}

/**
 * Judges that no outcome is the text of its own task, if another generation shows another outcome: a simulated agent
 * may always repeat its task.
 */
async function answersTasks(t: CheckContext): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const generation of t.generations) outcomes.push(...(await outcomeIn(t, generation)));
  for (const outcome of outcomes) isWhole(t, outcome, outcomes);
  const other = outcomes.find(({ task, outcome }) => outcome !== task);
  if (other === undefined) return;
  for (const { cell, exchange, task, outcome } of outcomes) {
    const message = `the outcome in ${cell.toUpperCase()} is the text of its task, ${show(outcome)}, and such a task has the outcome ${show(other.outcome)} in ${other.cell.toUpperCase()}; expected an outcome`;
    t.expect(outcome !== task, { cell, exchange, message });
  }
}

/** Number of characters at the end of an outcome that show whether the outcome repeats its task. */
const tailLength = 24;

/**
 * Judges that an outcome that repeats words of its task does not end within a word, if another generation shows a
 * longer outcome: a simulated agent may always repeat only the beginning of its task.
 */
function isWhole(t: CheckContext, { cell, exchange, task, outcome }: Outcome, outcomes: readonly Outcome[]): void {
  const longer = outcomes.find((other) => Buffer.byteLength(other.outcome) > Buffer.byteLength(outcome));
  const tail = outcome.slice(-tailLength);
  const at = toText(task).indexOf(tail);
  const next = toText(task).charAt(at + tail.length);
  const isCut = tail.length === tailLength && at !== -1 && /[\w\s]$/.test(tail) && /\w/.test(next);
  const message = `the outcome in ${cell.toUpperCase()} ends within a word of its task, at ${show(tail)}, and such a task has a longer outcome in ${longer?.cell.toUpperCase()}; expected the whole outcome`;
  t.expect(!isCut || longer === undefined, { cell, exchange, message });
}

/** Returns the outcome of the one-shot scenario of a generation; empty without an achieved task and a text. */
async function outcomeIn(t: CheckContext, cell: Generation): Promise<Outcome[]> {
  if (cell === 'v3') {
    const session = await recordingIfAny(t, oneShotSession);
    const { output: outcome, isTaskSuccessful } = session?.end.record ?? {};
    return session !== undefined && isTaskSuccessful === true
      ? readOutcome(session.end.exchange, { cell, task: session.request['task'], outcome })
      : [];
  }
  if (unwatchableReason(t.target, kinds[cell]) !== undefined) return [];
  const job = await recordingIfAny<OneShotJob>(t, cell === 'v2' ? oneShotTask : oneShotRun);
  const last = job?.after.at(-1);
  return job !== undefined && last?.phase === 'completed'
    ? readOutcome(last.exchange, { cell, task: requestObject(job.dispatched)['task'], outcome: last.result })
    : [];
}

/** Returns an outcome that is a text; empty for any other outcome. */
function readOutcome(
  exchange: Exchange,
  { outcome, ...rest }: Pick<Outcome, 'cell' | 'task'> & { outcome: JsonValue | undefined },
): Outcome[] {
  return typeof outcome === 'string' ? [{ ...rest, exchange, outcome }] : [];
}

function followed(t: CheckContext, kind: JobKind, { looks }: OneShotJob): void {
  const last = getLastSnapshot(t, kind, looks);
  if (last.phase === 'unknown') t.notTestable(unknownWord(kind, last));
  if (!isOver(last) && !t.deadlines.isGivenUp(kind)) deadlinePassed(t, 'taskDeadlineMs');
  t.expect(isOver(last), {
    cell: kind === 'task' ? 'v2' : 'v4',
    exchange: last.exchange,
    message: `polling showed ${describeStatuses(looks)} for ${t.target.polling.taskDeadlineMs} ms; expected the end of the ${kind}`,
  });
}

/** Returns the ended run of the one-shot scenario; ends the check as not testable otherwise. */
async function endedRun(t: CheckContext): Promise<OneShotJob> {
  if (t.target.v4?.getRun === null) t.notTestable('the target file names no operation that fetches a run (v4.getRun)');
  const run = await t.recording(oneShotRun);
  const last = getLastSnapshot(t, 'run', run.looks);
  if (last.phase === 'unknown') t.notTestable(unknownWord('run', last));
  if (!isOver(last)) t.notTestable(`the run had not ended after ${t.target.polling.taskDeadlineMs} ms`);
  return run;
}

function judgeResult(t: CheckContext, { phase, result, status, exchange }: JobSnapshot): void {
  const carried = result !== undefined && result !== null;
  // A run can fail on a public page; the contract does not show the outcome of a failed run.
  if (!carried && phase !== 'completed' && !isOwnTask(t.target, 'succeed')) {
    t.notTestable(
      `the run ended as ${show(status)}, and the target file gives no test task of its own (tasks.succeed)`,
    );
  }
  const isEmpty = result === '' && phase === 'completed' && isOwnTask(t.target, 'succeed');
  t.expect(!isEmpty, { exchange, message: 'the result of a completed run is empty; expected an outcome' });
  const message = `the result of a run is ${show(result)} after it has ended as ${show(status)}; expected an outcome`;
  t.expect(carried, { exchange, message });
}

/** Judges that the result of a run stays the same until the end of the suite's run. */
async function keepsResult(t: CheckContext, { id, after }: ObservedJob): Promise<void> {
  const [first, ...others] = after;
  if (first === undefined) throw new NotTestable('the run was not fetched after its end');
  for (const { result, exchange } of [...others, ...(await lookAtEnd(t, 'run', id))]) {
    const message = `the result is ${show(result)} after it was ${show(first.result)} in a run that had ended; expected the same`;
    t.expect(isSameContent(result, first.result), { exchange, message });
  }
}

/** Judges that a request to stop a job that has ended leaves its result. */
function outlivesLateStop(t: CheckContext, kind: JobKind, { after, lateStopped }: OneShotJob): void {
  const before = after.at(-1)?.result ?? null;
  if (before === null || lateStopped === undefined) return;
  const { result, exchange } = lateStopped;
  const message = `the result of a ${kind} that had ended is ${show(result)} after a late request to stop it, and was ${show(before)}; expected the same`;
  t.expect(isSameContent(result, before), { exchange, message });
}

/** Judges that an ended run keeps its status while a later run of its session works. */
function staysBeside(t: CheckContext, { after, later }: OneShotJob): void {
  const end = after.findLast((look) => isOver(look));
  const path = t.target.v4?.statusIn ?? 'status';
  for (const exchange of end === undefined ? [] : (later?.watched?.earlier ?? [])) {
    const status = memberAt(exchange.json, path);
    const message = `a run that had ended as ${show(end?.status)} is ${show(status)} beside a later run of its session; expected that it stays so`;
    t.expect(status === undefined || isSame(status, end?.status), { exchange, message });
  }
}

/** Returns the run that was cancelled while it worked. */
async function interruptedRun(t: CheckContext): Promise<InterruptedJob> {
  return (await t.recording(oneShotRun)).interrupted();
}

async function taskStaysEnded(
  t: CheckContext,
  scenario: Scenario<InterruptedJob> | Scenario<OneShotJob>,
): Promise<void> {
  const reason = unwatchableReason(t.target, 'task');
  if (reason !== undefined) t.notTestable(reason);
  const isJudged = await staysEnded(t, 'task', await t.recording<ObservedJob>(scenario));
  if (!isJudged) t.notTestable('no task was seen to end');
}

/** Judges that a job that has ended keeps its status, and a task also its output. Returns false if no end was seen. */
async function staysEnded(t: CheckContext, kind: JobKind, { id, looks, after }: ObservedJob): Promise<boolean> {
  const records = [...after, ...(await lookAtEnd(t, kind, id))];
  const seen = [...looks, ...records];
  const end = seen.findIndex((look) => isOver(look));
  const first = seen[end];
  if (first === undefined) return false;
  for (const { status, exchange } of seen.slice(end)) {
    const message = `a ${kind} is ${show(status)} after it had ended as ${show(first.status)}; expected that it stays so`;
    t.expect(isSame(status, first.status), { exchange, message });
  }
  if (kind === 'task')
    sameOutput(
      t,
      records.filter((look) => isOver(look)),
    );
  return true;
}

/** Judges that the end of a later task does not change the output of an earlier, completed task. */
function keepsOutput(t: CheckContext, { bygone }: OneShotJob): void {
  const place = t.jobs.task.target().resultIn;
  if (bygone === undefined || place === null || !succeeded(bygone.before) || !succeeded(bygone.after)) return;
  const [before, after] = [bygone.before, bygone.after].map(({ json }) => memberAt(json, place));
  const message = `the output of a completed task is ${show(after)} after the end of a later task, and was ${show(before)}; expected the same`;
  t.expect(isSameContent(before, after), { cell: 'an earlier task', exchange: bygone.after, message });
}

/**
 * Judges that the list does not show a job as pending if a snapshot more than `settleDeadlineMs` earlier showed its
 * end.
 */
async function listsEnd(t: CheckContext, kind: JobKind, { id, looks, after }: ObservedJob): Promise<void> {
  const end = [...looks, ...after].find((look) => isOver(look));
  const job = t.jobs[kind].target();
  const spec = t.readOnly || end === undefined ? undefined : t.jobs[kind].request('list', '');
  if (spec === undefined || end === undefined || job.list === null) return;
  const exchange = await t.send(spec);
  if (exchange.atMs - end.exchange.atMs < t.target.polling.settleDeadlineMs) return;
  const items = memberAt(exchange.json, job.list.items);
  const item = (Array.isArray(items) ? items : []).find((one) => identifier(memberAt(one, 'id')) === id);
  const message = `the list shows the ${kind} ${id} as ${show(memberAt(item, job.statusIn))}, and its record has shown before that it ended as ${show(end.status)}; expected one status`;
  t.expect(item === undefined || jobPhase(job, item) !== 'pending', {
    cell: `the list of ${kind}s`,
    exchange,
    message,
  });
}

function sameOutput(t: CheckContext, records: readonly JobSnapshot[]): void {
  const [first, ...later] = records;
  for (const { result, exchange } of later) {
    const message = `the output is ${show(result)} after it was ${show(first?.result)} in a task that had ended; expected the same`;
    t.expect(isSameContent(result, first?.result), { exchange, message });
  }
}

/**
 * Returns snapshots of a job at the end of the suite's run, when other jobs have ended as well. Empty in a read-only
 * run, and if the record cannot be read.
 */
async function lookAtEnd(t: CheckContext, kind: JobKind, id: string): Promise<JobSnapshot[]> {
  return t.readOnly ? [] : ((await ifTestable(() => lookAfter(t.jobs[kind], id))) ?? []);
}

/**
 * Judges that reads of a working run do not end it. An end is a violation only for a slow task that the target file
 * defines itself; any other task may end at any time.
 */
function outlivesReads(t: CheckContext, { reads }: InterruptedJob): void {
  const [first] = reads;
  if (first?.phase !== 'pending') return t.notTestable('no run was read while it worked');
  const ended = reads.find((look) => look.phase === 'ended');
  if (ended !== undefined && hasReachedCeiling(t, 'run', ended))
    return t.notTestable('the run had reached its ceiling when it was read again');
  if (ended !== undefined && !isOwnTask(t.target, 'slow'))
    return t.notTestable('the run has ended, and the target file gives no slow task of its own (tasks.slow)');
  const message = `a run that worked is ${show(ended?.status)} after it was read ${reads.length} times in succession; expected that it goes on`;
  return t.expect(ended === undefined, { exchange: (ended ?? first).exchange, message });
}

/** Judges that a working job continues after another creation was refused. */
function worksOn(t: CheckContext, kind: JobKind, { looks, reads, refused }: InterruptedJob): void {
  const isWorking = looks.some(({ phase }) => phase === 'pending') && !reads.some((look) => isOver(look));
  if (!isWorking || refused.exchange.status !== 422)
    return t.notTestable(`no ${kind} was seen to work while another creation was refused with 422`);
  const { look } = refused;
  if (look.phase === 'ended' && hasReachedCeiling(t, kind, look))
    return t.notTestable(`the ${kind} had reached its ceiling when it was looked at again`);
  const message = `the ${kind} that worked is ${show(look.status)} after another creation was refused; expected that it goes on`;
  return t.expect(look.phase !== 'ended', { exchange: look.exchange, message });
}

/**
 * Returns true if a run costs at least the ceiling that the suite gives each run, so that it may have ended by itself.
 * Always false for a V2 task.
 */
function hasReachedCeiling({ target }: CheckContext, kind: JobKind, { exchange }: JobSnapshot): boolean {
  const place = kind === 'run' ? (target.v4?.cost ?? null) : null;
  const cost = place === null ? undefined : memberAt(exchange.json, place);
  return typeof cost === 'string' && Number(cost) >= Number(target.limits.ceilingUsd);
}

/** Members of a V2 or V4 session that a refused request must not change. */
const sessionMembers: readonly string[] = ['status', 'latestRunId', 'task'];

/** Judges that refused requests did not change the session that they named. */
function sameSession(t: CheckContext, { refusals }: OneShotJob): void {
  if (refusals?.session === undefined)
    return t.notTestable('no existing session could be fetched beside the refused requests');
  const { before, after } = refusals.session;
  const picked = ({ json }: Exchange): string => {
    const tasks = memberAt(json, 'tasks');
    const count = Array.isArray(tasks) ? tasks.length : 0;
    return JSON.stringify([...sessionMembers.map((member) => memberAt(json, member) ?? null), count]);
  };
  if (!succeeded(before)) t.notTestable(`the session ${describeAnswer(before)} before the refused requests`);
  const message = `an existing session ${describeAnswer(after)} with ${picked(after)} after refused requests, and had ${picked(before)}; expected no change`;
  t.expect(succeeded(after) && picked(after) === picked(before), { exchange: after, message });
}

function stopped(t: CheckContext, kind: JobKind, { before, stopped: exchange, after }: InterruptedJob): void {
  if (isOver(before)) t.notTestable(`the ${kind} had ended before it was stopped`);
  // The contract does not show the URL of the operation.
  if (isNotServed(exchange.status)) t.notTestable(`the operation that ends a ${kind} ${describeAnswer(exchange)}`);
  const last = after.at(-1);
  if (last?.phase === 'unknown') t.notTestable(unknownWord(kind, last));
  // A job that ended by itself at the same time was not changed by the late request.
  const message = `the ${kind} is ${show(last?.status)} after the operation that ends it ${describeAnswer(exchange)}; expected an end${settleWait(t)}`;
  t.expect(last !== undefined && isOver(last), { exchange: last?.exchange ?? exchange, message });
  if (succeeded(exchange) && isOwnTask(t.target, 'slow')) isNotCompleted(t, kind, { last, exchange });
}

/** Judges that a slow task of the target file, which only a stop ends, is not completed after its stop. */
function isNotCompleted(
  t: CheckContext,
  kind: JobKind,
  { last, exchange }: { last: JobSnapshot | undefined; exchange: Exchange },
): void {
  const done = `the ${kind} is ${show(last?.status)} after it worked and the operation that ends it ${describeAnswer(exchange)}; expected that it is not completed`;
  t.expect(last?.phase !== 'completed', { exchange: last?.exchange ?? exchange, message: done });
}

function getLastSnapshot(t: CheckContext, kind: JobKind, looks: readonly JobSnapshot[]): JobSnapshot {
  return looks.at(-1) ?? t.notTestable(unwatchableReason(t.target, kind) ?? `the suite has not read the ${kind}`);
}

function unknownWord(kind: JobKind, { status }: JobSnapshot): string {
  const member = kind === 'task' ? 'v2.states' : 'v4.states';
  return `the status of the ${kind} is ${show(status)}, which the target file does not know (${member})`;
}

function describeStatuses(looks: readonly JobSnapshot[]): string {
  const words = looks.map(({ status }) => show(status));
  return words.filter((word, index) => word !== words[index - 1]).join(', ');
}
