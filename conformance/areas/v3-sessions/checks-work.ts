import { compareDecimals, parseDecimal } from '../../core/decimal.ts';
import type { Check, CheckContext } from '../../core/check.ts';
import { type Exchange } from '../../core/exchange.ts';
import { toText } from '../../core/json.ts';
import { endStates, type Observation } from '../../common/observed-session.ts';
import { isControlled, isOwnTask } from '../../common/target-facts.ts';
import { requestObject } from '../../core/request-json.ts';
import { show } from '../../core/text.ts';
import { historyLaw } from './checks-history-times.ts';
import { endMs, type SessionHistory, sessionHistories, acceptedFollowUps } from './history.ts';

/** Checks that counters, costs and summaries of a V3 session agree with the work of its follow-ups. */
export const sessionWorkChecks: readonly Check[] = [
  historyLaw('V3-HISTORY-21', (t, history) => {
    countsTokens(t, history);
    chargesTokens(t, history);
    for (const member of ['stepCount', ...tokens]) countsTasks(t, history, member);
  }),
  historyLaw('V3-HISTORY-24', countsBothTokens, countsAnyTokens),
  historyLaw('V3-HISTORY-23', (t, history) => {
    for (const request of dispatches(history)) showsFailure(t, history, request);
    succeedsAgain(t, history);
  }),
  historyLaw('V3-HISTORY-22', (t, history) => {
    for (const followUp of acceptedFollowUps(history)) showsWork(t, history, followUp);
  }),
];

const tokens = ['totalInputTokens', 'totalOutputTokens'] as const;

/** The work of a session from its second follow-up on. */
interface FurtherWork {
  /** The accepted follow-ups from the second one on. */
  readonly followUps: readonly Exchange[];
  /** The last fetch before the second follow-up; undefined without such a fetch. */
  readonly first: Observation | undefined;
  /** The last fetch of the session; undefined without a fetch. */
  readonly last: Observation | undefined;
}

function furtherWork(history: SessionHistory): FurtherWork {
  const [, ...followUps] = acceptedFollowUps(history);
  const beginMs = followUps[0]?.atMs ?? -Infinity;
  const first = history.fetches.findLast(({ exchange }) => endMs(exchange) <= beginMs);
  return { followUps, first, last: history.fetches.at(-1) };
}

/**
 * Judges that the token counts grow if the cost of the model grows. Compares the last fetch before the second follow-up
 * with the last fetch of the session. At least two follow-ups lie between them, because a service may book the last
 * step of a task late.
 */
function countsTokens(t: CheckContext, history: SessionHistory): void {
  const { first, last, followUps } = furtherWork(history);
  if (followUps.length < 2 || first === undefined || last === undefined) return;
  const [was, is] = [first, last].map(({ record }) => parseDecimal(toText(record['llmCostUsd'])));
  const counted = tokens.reduce((sum, member) => sum + Number(first.record[member] ?? 0), 0);
  if (was === undefined || is === undefined || counted === 0 || compareDecimals(is, was) <= 0) return;
  const grown = tokens.some((member) => Number(last.record[member]) > Number(first.record[member]));
  const message = `llmCostUsd went from ${show(first.record['llmCostUsd'])} to ${show(last.record['llmCostUsd'])} over further tasks, and neither totalInputTokens nor totalOutputTokens has grown; expected the tokens of each task`;
  t.expect(grown, { exchange: last.exchange, member: '/totalInputTokens', message });
}

/**
 * Minimum number of follow-ups, and of different texts of their tasks, from which a run can tell that their work is not
 * counted: a service may repeat the work of a known task without its model.
 */
const countedMin = { tasks: 3, texts: 2 } as const;

/** Judges that a count of a session grows over further follow-ups that ran, if earlier tasks have counted. */
function countsTasks(t: CheckContext, history: SessionHistory, member: string): void {
  const { first, last, followUps } = furtherWork(history);
  if (first === undefined || last === undefined) return;
  const ran = followUps.filter((followUp) => {
    const during = fetchesDuring(history, followUp);
    const began = during.findIndex(({ record }) => record['status'] === 'running');
    return began !== -1 && during.slice(began).some(({ record }) => typeof record['isTaskSuccessful'] === 'boolean');
  });
  const texts = new Set(ran.map((followUp) => toText(requestObject(followUp)['task'])));
  const [was, is] = [Number(first.record[member] ?? 0), Number(last.record[member] ?? 0)];
  if (ran.length < countedMin.tasks || texts.size < countedMin.texts || was === 0) return;
  const message = `${member} is ${is} after ${ran.length} further tasks with different texts, as before them; expected that it counts the work of each task`;
  t.expect(is !== was, { exchange: last.exchange, member: `/${member}`, message });
}

/**
 * Minimum cost of the model, in units of its last digit, and minimum growth of all tokens from which a run can tell
 * that the cost does not follow the tokens: with fewer units or tokens, rounding and cached tokens can hide a growth.
 */
const chargedMin = { units: 20n, growth: 2 } as const;

/**
 * Judges that the cost of the model grows if the tokens at least double over further follow-ups. Compares the same
 * fetches as {@link countsTokens}. A session whose model has cost little is not judged.
 */
function chargesTokens(t: CheckContext, history: SessionHistory): void {
  const { first, last, followUps } = furtherWork(history);
  if (followUps.length < 2 || first === undefined || last === undefined) return;
  const [was, is] = [first, last].map(({ record }) => parseDecimal(toText(record['llmCostUsd'])));
  const hasGrown = tokens.every(
    (member) => Number(last.record[member]) >= chargedMin.growth * Number(first.record[member]),
  );
  if (was === undefined || is === undefined || was.value < chargedMin.units || !hasGrown) return;
  const message = `llmCostUsd is ${show(last.record['llmCostUsd'])} after further tasks, as before them, and the tokens have at least doubled; expected the cost of each task`;
  t.expect(compareDecimals(is, was) !== 0, { exchange: last.exchange, member: '/llmCostUsd', message });
}

/**
 * Judges that a successful session that shows any tokens shows both input and output tokens. A service may count tokens
 * late: unless the tester controls the target, the settle deadline must have passed.
 */
function countsBothTokens(t: CheckContext, { fetches }: SessionHistory): void {
  const restMs = isControlled(t.target) ? 0 : t.target.polling.settleDeadlineMs;
  const ended = fetches.find((seen) => hasSucceeded(seen));
  const last = fetches.at(-1);
  if (ended === undefined || last === undefined || !hasSucceeded(last)) return;
  if (last.exchange.atMs < endMs(ended.exchange) + restMs) return;
  const counts = tokens.map((member) => Number(last.record[member] ?? 0));
  const none = tokens.find((_member, index) => counts[index] === 0);
  const message = `${none} is 0 after a task that achieved its goal, and the other tokens are ${Math.max(...counts)}; expected tokens of both kinds`;
  t.expect(none === undefined || Math.max(...counts) === 0, { exchange: last.exchange, member: `/${none}`, message });
}

/** Minimum number of sessions with a model cost from which a run can tell whether the service counts tokens. */
const pricedMin = 3;

/**
 * Judges that not all successful sessions with a model cost show 0 tokens. Judges nothing with fewer than `pricedMin`
 * such sessions.
 */
function countsAnyTokens(t: CheckContext): void {
  const lasts = sessionHistories(t).flatMap(({ fetches }) => fetches.slice(-1));
  const priced = lasts.filter((seen) => hasSucceeded(seen) && Number(seen.record['llmCostUsd']) > 0);
  const isUncounted = ({ record }: Observation): boolean => tokens.every((member) => record[member] === 0);
  const [last] = priced.slice(-1);
  const message = `llmCostUsd is ${show(last?.record['llmCostUsd'])}, and totalInputTokens and totalOutputTokens are 0, in this and in every other session; expected the tokens of the model`;
  const isWrong = priced.length >= pricedMin && priced.every((seen) => isUncounted(seen));
  t.expect(!isWrong, { exchange: last?.exchange, member: '/totalInputTokens', message });
}

function hasSucceeded({ record }: Observation): boolean {
  return record['isTaskSuccessful'] === true && ['idle', 'stopped'].includes(toText(record['status']));
}

/**
 * Judges that a session is not shown as idle while its follow-up makes steps and has no outcome. It is a violation if
 * idle fetches show two different numbers of further steps.
 */
function showsWork(t: CheckContext, history: SessionHistory, followUp: Exchange): void {
  const { fetches } = history;
  const before = fetches.findLast(({ exchange }) => endMs(exchange) <= followUp.atMs);
  const during = fetchesDuring(history, followUp);
  const end = during.findIndex(({ record }) => typeof record['isTaskSuccessful'] === 'boolean');
  const working = end === -1 ? during : during.slice(0, end);
  const counts = new Set(working.filter((seen) => isIdle(seen)).map(({ record }) => Number(record['stepCount'] ?? 0)));
  const further = [...counts].filter((count) => count > Number(before?.record['stepCount'] ?? 0));
  const seen = working.findLast((one) => isIdle(one));
  const message = `the session was idle while its follow-up made the steps ${further.join(', ')} and had no outcome; expected running`;
  t.expect(further.length < 2, { exchange: seen?.exchange, member: '/status', message });
}

/** Judges that a task that no agent can achieve is no success, in each session and as each task of a session. */
function showsFailure(t: CheckContext, history: SessionHistory, request: Exchange): void {
  if (!isOwnTask(t.target, 'fail') || requestObject(request)['task'] !== t.target.tasks.fail) return;
  const during = fetchesDuring(history, request);
  // The first fetches may show the verdict of the task before.
  const ran = during.findIndex(({ record }) => record['isTaskSuccessful'] === null);
  for (const { record, exchange } of ran === -1 ? during.slice(-1) : during.slice(ran)) {
    const message = 'isTaskSuccessful is true after a task that cannot succeed; expected false';
    t.expect(record['isTaskSuccessful'] !== true, { exchange, member: '/isTaskSuccessful', message });
  }
}

/**
 * Minimum number of judged tasks before a failing task, and also after it. With fewer tasks, the run cannot tell that
 * the failing task made the later tasks fail.
 */
const comparedMin = 2;

/**
 * Judges that a failing task does not make every later task of its session fail. Judged only if the tasks before the
 * failing task have succeeded. A later task counts only with structured output: an agent that gave up has no output, or
 * a text that says why.
 */
function succeedsAgain(t: CheckContext, history: SessionHistory): void {
  const { fail, succeed, structured } = t.target.tasks;
  const sent = dispatches(history);
  const failing = sent.findIndex((request) => requestObject(request)['task'] === fail);
  if (!isOwnTask(t.target, 'fail') || failing === -1) return;
  const endsOf = (some: readonly Exchange[]): Observation[] =>
    some
      .filter((request) => [succeed, structured].includes(toText(requestObject(request)['task'])))
      .flatMap((request) => fetchesDuring(history, request).slice(-1))
      .filter(({ record }) => typeof record['isTaskSuccessful'] === 'boolean');
  const [before, after] = [endsOf(sent.slice(0, failing)), endsOf(sent.slice(failing + 1))];
  if (before.length < comparedMin || after.length < comparedMin || !before.every((seen) => hasSucceeded(seen))) return;
  const isAccused = after.every(
    ({ record: { isTaskSuccessful, output = null } }) =>
      isTaskSuccessful === false && output !== null && typeof output !== 'string',
  );
  const message = `isTaskSuccessful is false in each of the ${after.length} tasks after one that failed, although each has structured output; the ${before.length} tasks before it succeeded. Expected the outcome of each task`;
  t.expect(!isAccused, { exchange: after.at(-1)?.exchange, member: '/isTaskSuccessful', message });
}

/** Returns the requests that gave a session its tasks: its creation, and the follow-ups that were accepted. */
function dispatches(history: SessionHistory): Exchange[] {
  const { creation } = history;
  return [...(creation === undefined ? [] : [creation.exchange]), ...acceptedFollowUps(history)];
}

/** Returns the fetches of a session between a task and the next request that may change the session. */
function fetchesDuring({ fetches, changes }: SessionHistory, task: Exchange): Observation[] {
  const next = changes.find((change) => change.atMs > task.atMs && change.status !== 422);
  return fetches.filter(
    ({ exchange }) => exchange.atMs >= endMs(task) && (next === undefined || endMs(exchange) <= next.atMs),
  );
}

/**
 * Judges that not every session with `keepAlive` has the status `error` after a task that no agent can achieve. Some of
 * these sessions may be in error, because a sandbox may fail for another reason.
 */
export function keptAfterFailure(t: CheckContext): void {
  const { fail } = t.target.tasks;
  if (fail === null || !isOwnTask(t.target, 'fail')) return;
  const ends = sessionHistories(t).flatMap((history) => keptEnds(history, fail));
  const exchange = ends.find(({ record }) => record['status'] === 'error')?.exchange;
  const message =
    'a session with keepAlive true is in error after a task that its agent has given up, as is every other one; expected idle';
  const isWrong = ends.length > 0 && ends.every(({ record }) => record['status'] === 'error');
  t.expect(!isWrong, { exchange, member: '/status', message });
}

const ended: readonly string[] = ['idle', ...endStates];

/**
 * Returns, for each request that sent `task` with `keepAlive` true, the first fetch that shows the end of this task.
 */
function keptEnds(history: SessionHistory, task: string): Observation[] {
  return dispatches(history).flatMap((request) => {
    const body = requestObject(request);
    if (body['task'] !== task || body['keepAlive'] !== true) return [];
    const during = fetchesDuring(history, request);
    // A session may be idle before it begins its task.
    const ran = during.findIndex(({ record }) => record['status'] === 'running');
    return during.slice(Math.max(ran, 0)).find(({ record }) => ended.includes(toText(record['status']))) ?? [];
  });
}

function isIdle({ record }: Observation): boolean {
  return record['status'] === 'idle' && (record['isTaskSuccessful'] ?? null) === null;
}

/**
 * Minimum numbers of steps, and of sessions or follow-ups with steps, from which a run can tell whether summaries
 * follow the steps.
 */
const summarizedMin = { steps: 6, sessions: 3 } as const;

/** Minimum number of fetches from which a run can tell that running sessions show no summaries. */
const runningMin = 6;

/**
 * Judges that summaries change as steps run, in all tasks and in follow-ups alone. Two steps may have the same summary,
 * so only a run in which no summary ever changes with a step is wrong.
 */
export function summariesFollow(t: CheckContext): void {
  const histories = sessionHistories(t);
  anyChanges(
    t,
    histories.map(({ fetches }) => summarizedSteps(fetches)),
    'in this and in every other session',
  );
  anyChanges(
    t,
    // Tasks of one step may all have the same summary.
    histories.flatMap((history) => laterSteps(history)).filter(({ length }) => length > 1),
    'in this and in every other follow-up',
  );
  appearsWhileRunning(t, histories);
}

/**
 * Judges that at least one fetch of a task in progress shows a summary, if enough fetches of tasks with two steps or
 * more were seen. The summary of the first step may appear some time after the step.
 */
function appearsWhileRunning(t: CheckContext, histories: readonly SessionHistory[]): void {
  const all = histories.flatMap(({ fetches }) => severalSteps(fetches));
  const message = `lastStepSummary is null in all ${all.length} fetches of running sessions whose task had taken two steps or more; expected a summary of the latest step, for the display of progress`;
  const isShown = all.some(({ record }) => (record['lastStepSummary'] ?? null) !== null);
  t.expect(isShown || all.length < runningMin, {
    exchange: all.at(-1)?.exchange,
    member: '/lastStepSummary',
    message,
  });
}

/** Returns the fetches of a running session whose current task has taken two steps or more. */
function severalSteps(fetches: readonly Observation[]): Observation[] {
  let before = 0;
  return fetches.filter(({ record }) => {
    const isRunning = record['status'] === 'running';
    if (!isRunning) before = Number(record['stepCount'] ?? 0);
    return isRunning && Number(record['stepCount']) >= before + 2;
  });
}

/**
 * For each accepted follow-up to a session that already had a summary, returns the fetches that show a further step
 * (`summarizedSteps`).
 */
function laterSteps({ changes, fetches }: SessionHistory): (Observation & { isNew: boolean })[][] {
  return acceptedFollowUps({ changes }).flatMap((followUp) => {
    const before = fetches.findLast(({ exchange }) => endMs(exchange) <= followUp.atMs);
    if (typeof before?.record['lastStepSummary'] !== 'string') return [];
    const nextMs = changes.find((change) => change.atMs > followUp.atMs)?.atMs ?? Infinity;
    const during = fetches.filter(({ exchange }) => exchange.atMs >= endMs(followUp) && endMs(exchange) <= nextMs);
    return [summarizedSteps(during)];
  });
}

/** Judges that a summary changes with at least one step, if enough steps of enough tasks or sessions were seen. */
function anyChanges(t: CheckContext, steps: readonly (Observation & { isNew: boolean })[][], where: string): void {
  const all = steps.flat();
  const enough =
    all.length >= summarizedMin.steps && steps.filter(({ length }) => length > 0).length >= summarizedMin.sessions;
  const [last] = all.slice(-1);
  const message = `lastStepSummary stayed ${show(last?.record['lastStepSummary'])} while stepCount grew, ${where}; expected a summary of the latest step`;
  const isStill = all.every(({ isNew }) => !isNew);
  t.expect(!enough || !isStill, { exchange: last?.exchange, member: '/lastStepSummary', message });
}

/**
 * Returns each fetch that shows more steps than the fetch before, where both have a summary. `isNew` is true if the
 * summary has changed.
 */
function summarizedSteps(fetches: readonly Observation[]): (Observation & { isNew: boolean })[] {
  return fetches.flatMap((now, index) => {
    const before = fetches[index - 1]?.record;
    const [was, is] = [before?.['lastStepSummary'], now.record['lastStepSummary']];
    const hasGrown = Number(now.record['stepCount']) > Number(before?.['stepCount']);
    return hasGrown && typeof was === 'string' && typeof is === 'string' ? [{ ...now, isNew: was !== is }] : [];
  });
}
