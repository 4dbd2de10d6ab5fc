import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import type { Exchange } from '../../core/exchange.ts';
import { type JsonValue, toText } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { withoutEnd } from '../../core/trim-end.ts';
import { compareTimes, parseTime } from '../../core/times.ts';
import { compareSizes, isEquivalent, type Size, toSize } from '../../properties/laws/likeness.ts';
import type { Likeness } from '../../properties/laws/records.ts';
import { endStates, type Observation } from '../../common/observed-session.ts';
import { shownMember, someRecord } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { endMs, type SessionHistory, sessionHistories } from './history.ts';
import { isSameContent } from '../../common/signed-urls.ts';

/** Checks of the times and costs of a V3 session, compared over every fetch of the run. */
export const sessionTimeChecks: readonly Check[] = [
  historyLaw('V3-HISTORY-01', (t, { fetches }) => {
    const [first] = fetches;
    for (const { record, exchange } of fetches) {
      const [was, is] = [first?.record['createdAt'], record['createdAt']];
      const message = `createdAt was ${show(was)} and is ${show(is)}; expected it never to change`;
      t.expect(isEquivalent('time', was ?? null, is ?? null), { exchange, member: '/createdAt', message });
    }
  }),
  historyLaw('V3-HISTORY-02', (t, { fetches }) => {
    const unitMs = Math.max(...Object.values(finestUnits(t)));
    for (const { record, exchange } of fetches) {
      const { createdAt, updatedAt } = record;
      const [created, updated] = [parseTime(createdAt), parseTime(updatedAt)];
      if (created === undefined || updated === undefined) continue;
      const message = `updatedAt ${show(updatedAt)} is before createdAt ${show(createdAt)}; expected a time that is not earlier`;
      t.expect(created - updated < unitMs, { exchange, member: '/updatedAt', message });
    }
  }),
  check('V3-HISTORY-03', { needs: someRecord, phase: 'last', early: movesWithTask }, async (t) => {
    await movesWithTask(t);
    await restsAtEnd(t);
  }),
  historyLaw('V3-HISTORY-04', (t, history) => {
    for (const [member, as] of consumed) neverFalls(t, history, [member, as]);
  }),
  historyLaw('V3-HISTORY-19', (t, { creation, fetches }) => {
    if (t.target.control !== null) {
      if (creation !== undefined) for (const seen of fetches) staysBehindClock(t, creation.exchange, seen);
      return;
    }
    for (const { record, exchange } of fetches) {
      const aheadMs = aheadOfClock(exchange, record['updatedAt']);
      const message = `updatedAt is ${show(record['updatedAt'])} in an answer of ${exchange.headers['date'] ?? ''}; expected no later time`;
      t.expect(aheadMs === undefined || aheadMs <= clockErrorMs, { exchange, member: '/updatedAt', message });
    }
    const [first] = fetches;
    if (creation === undefined || first === undefined) return;
    const offMs = aheadOfClock(creation.exchange, first.record['createdAt']);
    const message = `createdAt is ${show(first.record['createdAt'])} in a session that was created at ${creation.exchange.headers['date'] ?? ''}; expected the time of its creation`;
    const isNear = offMs === undefined || Math.abs(offMs) <= clockErrorMs;
    t.expect(isNear, { exchange: first.exchange, member: '/createdAt', message });
  }),
];

/**
 * Judges that `updatedAt` is not later than the fetch: the span from `createdAt` to `updatedAt` must not exceed the
 * time since the creation by more than the clock error. Absolute times are not compared, because the clock of a target
 * with a control URL may have been moved before the run.
 */
function staysBehindClock(t: CheckContext, creation: Exchange, { record, exchange }: Observation): void {
  const { createdAt, updatedAt } = record;
  const [created, updated] = [parseTime(createdAt), parseTime(updatedAt)];
  if (created === undefined || updated === undefined) return;
  const sinceMs = endMs(exchange) - creation.atMs + movedMs(t);
  const message = `updatedAt ${show(updatedAt)} is more than ${sinceMs} ms after createdAt ${show(createdAt)}, and no more time has passed; expected no later time`;
  t.expect(updated - created <= sinceMs + clockErrorMs, { exchange, member: '/updatedAt', message });
}

/** Returns by how many ms the suite has moved the clock of the target. */
const movedMs = deriveOnce((t): number =>
  t.recorder
    .all()
    .filter(({ operation }) => operation === 'advanceClock')
    .reduce((sum, exchange) => sum + Number(requestObject(exchange)['advanceMs'] ?? 0), 0),
);

/** Maximum difference in ms between the clock of a service and the clocks of its HTTP servers. */
const clockErrorMs = 5 * 60_000;

/**
 * Returns by how many ms a time is later than the `Date` header of a response; undefined if either is no valid time.
 */
function aheadOfClock(exchange: Exchange, time: JsonValue | undefined): number | undefined {
  const [shown, clock] = [parseTime(time), Date.parse(exchange.headers['date'] ?? '')];
  return shown === undefined || Number.isNaN(clock) ? undefined : shown - clock;
}

/** Creates a check that judges the history of each session in the run, and with `judgeAll` all histories together. */
export function historyLaw(
  id: Check['id'],
  judge: (t: CheckContext, history: SessionHistory) => void,
  judgeAll?: (t: CheckContext) => void,
): Check {
  return law(
    id,
    async (t) => {
      for (const history of await drivenHistories(t)) judge(t, history);
      judgeAll?.(t);
    },
    { needs: someRecord },
  );
}

async function drivenHistories(t: CheckContext): Promise<readonly SessionHistory[]> {
  const driven = someRecord(t.target).filter((scenario) => t.drives(scenario));
  await Promise.all(driven.map((scenario) => t.recording(scenario)));
  return sessionHistories(t);
}

async function movesWithTask(t: CheckContext): Promise<void> {
  for (const history of await drivenHistories(t)) {
    neverGoesBack(t, history);
    advances(t, history);
  }
  stepsAdvance(t);
}

/** Assumed resolution of the target's clock in ms: two changes within this span may share one time. */
const leastUnitMs = 20;

/**
 * Units in which the target shows `createdAt` and `updatedAt`, in ms. The finest fraction of a second that a fetch
 * shows decides; a time without a fraction has the unit of a second.
 */
const finestUnits = deriveOnce((t) => {
  const records = sessionHistories(t).flatMap(({ fetches }) => fetches.map(({ record }) => record));
  const unitMs = (member: string): number => {
    const digits = records.map((record) => fractionDigits(toText(record[member])));
    return Math.max(1, 1000 / 10 ** digits.reduce((most, count) => Math.max(most, count), 0));
  };
  return { createdAt: unitMs('createdAt'), updatedAt: unitMs('updatedAt') };
});

function fractionDigits(time: string): number {
  return withoutEnd(/\.(\d+)/.exec(time)?.[1] ?? '', /0/).length;
}

/** Judges that no fetch shows an earlier `updatedAt` than the fetches that were answered before this fetch was sent. */
function neverGoesBack(t: CheckContext, { fetches }: SessionHistory): void {
  let latest: Observation | undefined;
  for (const now of fetches) {
    const sinceMs = compareTimes(latest?.record['updatedAt'], now.record['updatedAt']) ?? 0;
    const isLater = latest === undefined || now.exchange.atMs >= endMs(latest.exchange);
    const message = `updatedAt was ${show(latest?.record['updatedAt'])} and is ${show(now.record['updatedAt'])}; expected it never to go back`;
    const about = { exchange: now.exchange, member: '/updatedAt', message };
    t.expect(!isLater || sinceMs >= 0, about);
    if (isLater) latest = now;
  }
}

const progress = ['status', 'output', 'isTaskSuccessful'] as const;

/**
 * Judges that `updatedAt` advances when the status or the outcome changes. The shown time is before the response of
 * `since`, and the change is after the request of `before`, so they are compared by the suite's clock.
 */
function advances(t: CheckContext, { fetches }: SessionHistory): void {
  let since: Observation | undefined;
  let before: Observation | undefined;
  const unitMs = Math.max(leastUnitMs, finestUnits(t).updatedAt);
  for (const now of fetches) {
    if (since !== undefined && before !== undefined && hasMoved(before, now)) {
      const [was, is] = [parseTime(before.record['updatedAt']), parseTime(now.record['updatedAt'])];
      const hasStood = before.exchange.atMs - endMs(since.exchange) >= unitMs;
      const message = `the session went from ${progressText(before)} to ${progressText(now)} and updatedAt stayed ${show(now.record['updatedAt'])}; expected a later time`;
      const about = { exchange: now.exchange, member: '/updatedAt', message };
      t.expect(was === undefined || is === undefined || is > was || !hasStood, about);
    }
    if (since === undefined || since.record['updatedAt'] !== now.record['updatedAt']) since = now;
    before = now;
  }
}

/** A counted step of a running session. */
interface CountedStep extends Observation {
  /** Whether the fetch that shows the step shows another `updatedAt` than the fetch before it. */
  isUpdate: boolean;
}

/** Minimum numbers of counted steps, and of sessions with such a step, that show whether steps advance `updatedAt`. */
const countedMin = { steps: 3, sessions: 2 } as const;

/**
 * Judges that steps advance `updatedAt`: the contract says that `stepCount` updates as steps run. A service may store a
 * step and its time separately, so only a run in which no step ever advances `updatedAt` is wrong.
 */
function stepsAdvance(t: CheckContext): void {
  const bySession = sessionHistories(t)
    .map((history) => countedSteps(t, history))
    .filter(({ length }) => length > 0);
  const steps = bySession.flat();
  const [last] = steps.slice(-1);
  if (last === undefined || steps.length < countedMin.steps || bySession.length < countedMin.sessions) return;
  const message = `updatedAt stayed ${show(last.record['updatedAt'])} while stepCount grew to ${show(last.record['stepCount'])}, as with each of ${steps.length} steps in ${bySession.length} sessions; expected a later time`;
  const { exchange } = last;
  t.expect(
    steps.some(({ isUpdate }) => isUpdate),
    { exchange, member: '/updatedAt', message },
  );
}

/**
 * Returns the counted steps that can show whether steps advance `updatedAt`. With such a step, `updatedAt` has changed,
 * or it had been the same for at least its unit before.
 */
function countedSteps(t: CheckContext, { fetches }: SessionHistory): CountedStep[] {
  const unitMs = Math.max(leastUnitMs, finestUnits(t).updatedAt);
  const steps: CountedStep[] = [];
  let [since, before]: (Observation | undefined)[] = [];
  for (const now of fetches) {
    const isUpdate = since?.record['updatedAt'] !== now.record['updatedAt'];
    if (since !== undefined && before !== undefined && hasCountedStep(before, now)) {
      const hasStood = before.exchange.atMs - endMs(since.exchange) >= unitMs;
      if (isUpdate || hasStood) steps.push({ ...now, isUpdate });
    }
    if (isUpdate) since = now;
    before = now;
  }
  return steps;
}

/** Returns true if a session is running in two fetches, one after the other, and the second shows more steps. */
function hasCountedStep(before: Observation, now: Observation): boolean {
  const isRunning = [before, now].every(({ record }) => record['status'] === 'running');
  const isLater = now.exchange.atMs >= endMs(before.exchange);
  return isRunning && isLater && Number(now.record['stepCount']) > Number(before.record['stepCount']);
}

function hasMoved(before: Observation, now: Observation): boolean {
  if (now.exchange.atMs < endMs(before.exchange)) return false;
  return progress.some((member) => !isSameContent(before.record[member], now.record[member]));
}

function progressText({ record }: Observation): string {
  return progress.map((member) => show(record[member])).join(', ');
}

/** Number of ended sessions that are fetched at the end of the run, and number of fetches of each. */
const [restingMax, restingFetches] = [2, 4];

/**
 * Fetches ended sessions several times at the end of the run, and judges that fetches alone do not advance `updatedAt`.
 * A service may book costs late, so it is a violation only if every fetch of every session shows a later time. Judges
 * nothing with fewer than `restingMax` ended sessions.
 */
async function restsAtEnd(t: CheckContext): Promise<void> {
  const ended = sessionHistories(t)
    .filter(
      ({ creation, changes }) => creation !== undefined && changes.every(({ request }) => request.method !== 'DELETE'),
    )
    .filter(({ fetches }) => endStates.includes(toText(fetches.at(-1)?.record['status'])))
    .slice(0, restingMax);
  if (ended.length < restingMax) return;
  for (let round = 0; round < restingFetches; round += 1) for (const { id } of ended) await t.sessions.get(id);
  const ids = ended.map(({ id }) => id);
  const rests = sessionHistories(t)
    .filter(({ id }) => ids.includes(id))
    .map(({ fetches }) => fetches.slice(-restingFetches));
  if (!rests.every((fetches) => movesAlone(fetches))) return;
  const [before, now] = rests[0]?.slice(-2) ?? [];
  const message = `updatedAt of a session in ${show(now?.record['status'])} was ${show(before?.record['updatedAt'])} and is ${show(now?.record['updatedAt'])}, later with each of ${restingFetches} fetches while nothing else has changed; expected the time of the last update`;
  t.expect(false, { exchange: now?.exchange, member: '/updatedAt', message });
}

/** Members that change with every fetch, or for which a service may sign a new URL. */
const renewed = /^updatedAt$|Urls?$/;

/**
 * Returns true if each of the last fetches of a session shows a later `updatedAt` than the fetch before, and no other
 * change except in members of `renewed`.
 */
function movesAlone(fetches: readonly Observation[]): boolean {
  return (
    fetches.length === restingFetches &&
    fetches.every((now, index) => {
      const was = fetches[index - 1]?.record;
      if (was === undefined) return true;
      const names = [...new Set([...Object.keys(was), ...Object.keys(now.record)])];
      const isSame = (name: string): boolean => isEquivalent('same', was[name] ?? null, now.record[name] ?? null);
      const [before, after] = [parseTime(was['updatedAt']), parseTime(now.record['updatedAt'])];
      const isLater = before !== undefined && after !== undefined && after > before;
      return isLater && names.every((name) => renewed.test(name) || isSame(name));
    })
  );
}

const consumed: readonly (readonly [string, Likeness])[] = [
  ['totalInputTokens', 'number'],
  ['totalOutputTokens', 'number'],
  ['llmCostUsd', 'decimal'],
  ['proxyCostUsd', 'decimal'],
  ['proxyUsedMb', 'decimal'],
];

function neverFalls(t: CheckContext, { fetches }: SessionHistory, [member, as]: (typeof consumed)[number]): void {
  let largest: { readonly size: Size; readonly seen: Observation } | undefined;
  for (const seen of fetches) {
    const size = toSize(as, shownMember(t, seen.record, member) ?? null);
    if (size === undefined) continue;
    const isLess = largest !== undefined && compareSizes(largest.size, size) < 0;
    const isLater = largest !== undefined && seen.exchange.atMs >= endMs(largest.seen.exchange);
    const message = (): string =>
      `${member} was ${show(largest?.seen.record[member])} and is ${show(seen.record[member])}; expected it never to fall`;
    t.expect(!isLess || !isLater, { exchange: seen.exchange, member: `/${member}`, message });
    if (!isLess) largest = { size, seen };
  }
}
