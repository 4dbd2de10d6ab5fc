import type { Check, CheckContext } from '../../core/check.ts';
import { type Exchange } from '../../core/exchange.ts';
import { type JsonObject, type JsonValue, toText } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { sessionRecord } from '../../ledger/session-api.ts';
import { endStates, type Observation } from '../../common/observed-session.ts';
import { shownMember } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { isControlled } from '../../common/target-facts.ts';
import { isEquivalent } from '../../properties/laws/likeness.ts';
import type { Likeness } from '../../properties/laws/records.ts';
import type { MembersV3 } from '../../core/target.ts';
import { historyLaw } from './checks-history-times.ts';
import { endMs, type SessionHistory, sessionHistories, mayBeginTask, acceptedFollowUps } from './history.ts';
import { isSameContent } from '../../common/signed-urls.ts';

/** Checks that the members of a V3 session stay unchanged unless a request changes them. */
export const sessionContinuityChecks: readonly Check[] = [
  historyLaw('V3-HISTORY-14', (t, history) => {
    for (const member of outcomes) keepsOutcome(t, history, member);
    keepsTitle(t, history);
    for (const member of counters) keepsSettled(t, history, member);
    keepsRecordings(t, history);
  }),
  historyLaw('V3-HISTORY-15', (t, history) => {
    for (const setting of settings) keepsSetting(t, history, setting);
    for (const member of ['thinkingLevel', 'outputSchema'] as const) follows(t, history, member);
  }),
];

const outcomes = ['output', 'isTaskSuccessful'] as const;

/** Members that a service may still bring up to date after the end of a task. */
const counters = ['stepCount', 'lastStepSummary'] as const;

/**
 * Judges that a member of the record keeps its value from the end of a task until the next task. Null may still become
 * a value.
 */
function keepsOutcome(t: CheckContext, history: SessionHistory, member: string): void {
  for (const { ended, later } of restingSpans(history)) {
    const was = ended.record[member] ?? null;
    const changed = later.find(({ record }) => was !== null && !isSameContent(was, record[member]));
    expectKept(t, { member, was, changed });
  }
}

/**
 * Judges that a session that shows a title after a task does not lose it before the next task. A service may replace a
 * title by a better one.
 */
function keepsTitle(t: CheckContext, history: SessionHistory): void {
  for (const { ended, later } of restingSpans(history)) {
    const was = ended.record['title'] ?? null;
    const lost = later.find(({ record }) => was !== null && (record['title'] ?? null) === null);
    expectKept(t, { member: 'title', was, changed: lost });
  }
}

/**
 * Judges that a member keeps its value until the next task, once two consecutive fetches after the end of a task have
 * shown the same value. Because a service may count late, the second of these fetches must follow the settle deadline,
 * except for a controlled target.
 */
function keepsSettled(t: CheckContext, history: SessionHistory, member: string): void {
  for (const { ended, later } of restingSpans(history)) {
    const shown = [ended, ...later];
    const restMs = isControlled(t.target) ? 0 : t.target.polling.settleDeadlineMs;
    const settled = shown.findIndex(
      ({ record, exchange }, index) =>
        index > 0 &&
        isSameIn(member, record, shown[index - 1]?.record ?? {}) &&
        exchange.atMs >= endMs(ended.exchange) + restMs,
    );
    if (settled === -1) continue;
    const was = shown[settled]?.record[member] ?? null;
    const changed = shown.slice(settled).find(({ record }) => !isEquivalent('same', was, record[member] ?? null));
    expectKept(t, { member, was, changed });
  }
}

/** Judges that a session whose recordings were shown shows recordings until the next task. */
function keepsRecordings(t: CheckContext, history: SessionHistory): void {
  for (const { ended, later } of restingSpans(history)) {
    const shown = [ended, ...later];
    const first = shown.findIndex(({ record }) => hasItems(record['recordingUrls']));
    const lost = first === -1 ? undefined : shown.slice(first).find(({ record }) => !hasItems(record['recordingUrls']));
    const message = 'recordingUrls was filled and is empty, although no task was sent since; expected the recordings';
    t.expect(lost === undefined, { exchange: lost?.exchange, member: '/recordingUrls', message });
  }
}

function hasItems(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isSameIn(member: string, left: JsonObject, right: JsonObject): boolean {
  return isEquivalent('same', left[member] ?? null, right[member] ?? null);
}

function expectKept(
  t: CheckContext,
  { member, was, changed }: { member: string; was: JsonValue; changed: Observation | undefined },
): void {
  const message = `${member} was ${show(was)} after the end of a task and is ${show(changed?.record[member])}, although no task was sent since; expected it to stay`;
  t.expect(changed === undefined, { exchange: changed?.exchange, member: `/${member}`, message });
}

/** A fetch that shows the end of a task, and the fetches up to the next task. */
interface RestingSpan {
  readonly ended: Observation;
  readonly later: readonly Observation[];
}

function restingSpans(history: SessionHistory): RestingSpan[] {
  const spans: RestingSpan[] = [];
  for (const ended of history.fetches.filter(({ record }) => isOver(record))) {
    const isKnown = spans.some(({ later }) => later.includes(ended));
    if (isKnown || isTaskPending(history, ended)) continue;
    const later = history.fetches.filter(
      (seen) => seen.exchange.atMs >= endMs(ended.exchange) && tasksBetween(history, ended, seen).length === 0,
    );
    spans.push({ ended, later });
  }
  return spans;
}

/** Returns true if a record shows the outcome of a task and a status of an idle or ended session. */
function isOver({ status, isTaskSuccessful }: JsonObject): boolean {
  return typeof isTaskSuccessful === 'boolean' && (status === 'idle' || endStates.includes(toText(status)));
}

/** Returns true if a follow-up that was not refused was in flight at the same time as a fetch. */
function isTaskPending({ changes }: SessionHistory, { exchange }: Observation): boolean {
  return changes.some(
    (change) => mayBeginTask(change) && change.atMs < endMs(exchange) && endMs(change) > exchange.atMs,
  );
}

/** Returns the follow-ups that may have begun a task between two fetches. */
function tasksBetween({ changes }: SessionHistory, before: Observation, after: Observation): Exchange[] {
  return changes.filter(
    (change) => mayBeginTask(change) && endMs(change) > before.exchange.atMs && change.atMs < endMs(after.exchange),
  );
}

/**
 * A setting of a session: the member of the record, the comparison of its values, and the key under which the target
 * file names the request member if the contract does not name it.
 */
interface Setting {
  readonly member: string;
  readonly as: Likeness;
  readonly key?: keyof MembersV3;
  /** Whether a follow-up without this member may change the setting, for example to its default. */
  readonly isOfTask?: true;
  /** Whether the setting may get a value without a request, for example when the sandbox loads a profile. */
  readonly isLoaded?: true;
}

const settings: readonly Setting[] = [
  { member: 'model', as: 'same', isOfTask: true },
  { member: 'thinkingLevel', as: 'same' },
  { member: 'outputSchema', as: 'same', isOfTask: true },
  { member: 'maxCostUsd', as: 'decimal', isOfTask: true },
  { member: 'profileId', as: 'same', key: 'profileId', isLoaded: true },
  { member: 'workspaceId', as: 'same', key: 'workspaceId', isLoaded: true },
  { member: 'proxyCountryCode', as: 'same', key: 'proxyCountryCode', isLoaded: true },
];

function keepsSetting(t: CheckContext, history: SessionHistory, setting: Setting): void {
  const { member, as, isLoaded } = setting;
  for (const [before, now] of consecutive(history.fetches)) {
    const [was, is] = [before.record[member] ?? null, now.record[member] ?? null];
    if (isNamed(t, tasksBetween(history, before, now), setting)) continue;
    const message = `${member} was ${show(was)} and is ${show(is)}, although no request has named it since; expected it to stay`;
    const mayLoad = isLoaded === true && was === null && !isProxyDeclined(t, history, setting);
    const isKept = isEquivalent(as, was, is) || mayLoad || isOutOfUse(member, now);
    t.expect(isKept, { exchange: now.exchange, member: `/${member}`, message });
  }
}

/** Returns true if the setting is the country and the creation of the session has declined a proxy with null. */
function isProxyDeclined(t: CheckContext, { creation }: SessionHistory, { member }: Setting): boolean {
  const name = t.target.v3?.members.proxyCountryCode ?? '';
  return member === 'proxyCountryCode' && creation?.body[name] === null;
}

/**
 * Returns true if the member is the country, the session has ended and its record shows null. The contract describes
 * the country of the proxy in use.
 */
function isOutOfUse(member: string, { record }: Observation): boolean {
  const isNull = (record[member] ?? null) === null;
  return member === 'proxyCountryCode' && isNull && endStates.includes(toText(record['status']));
}

/**
 * Pairs each fetch with the last fetch that was answered before it was sent; the earlier fetch comes first. Omits a
 * fetch without such a predecessor.
 */
function consecutive(fetches: readonly Observation[]): (readonly [Observation, Observation])[] {
  return fetches.flatMap((now, index) => {
    const before = fetches.slice(0, index).findLast(({ exchange }) => endMs(exchange) <= now.exchange.atMs);
    return before === undefined ? [] : [[before, now] as const];
  });
}

/** Returns true if a follow-up has set the setting or may have changed it. */
function isNamed(t: CheckContext, tasks: readonly Exchange[], { member, key, isOfTask }: Setting): boolean {
  const name = key === undefined ? member : t.target.v3?.members[key];
  return tasks.some((task) => isOfTask === true || typeof name !== 'string' || name in requestObject(task));
}

/**
 * Judges that the first fetch after an accepted follow-up shows what this follow-up has set. Judges no follow-up if
 * another follow-up that was not refused was in flight at the same time, or before the fetch was answered.
 */
function follows(t: CheckContext, history: SessionHistory, member: 'thinkingLevel' | 'outputSchema'): void {
  for (const followUp of acceptedFollowUps(history)) {
    // The contract shows no schema in a follow-up; only the operation of creations is known to take one.
    if (member === 'outputSchema' && t.target.v3?.followUp?.path !== '/sessions') continue;
    const sent = requestObject(followUp)[member];
    const seen = history.fetches.find(({ exchange }) => exchange.atMs >= endMs(followUp));
    const is = seen === undefined ? undefined : shownMember(t, seen.record, member);
    if (sent === undefined || seen === undefined || is === undefined) continue;
    const isLast = history.changes.every(
      (change) =>
        change === followUp ||
        !mayBeginTask(change) ||
        endMs(change) <= followUp.atMs ||
        change.atMs >= endMs(seen.exchange),
    );
    const message = `${member} is ${show(is)} after a follow-up with ${show(sent)}; expected what the follow-up has set`;
    t.expect(!isLast || isEquivalent('same', sent, is), { exchange: seen.exchange, member: `/${member}`, message });
  }
}

/** Members that no fetch of an ended session raises. */
const consumed = [
  'totalInputTokens',
  'totalOutputTokens',
  'stepCount',
  'proxyUsedMb',
  'llmCostUsd',
  'proxyCostUsd',
  'browserCostUsd',
] as const;

/** A member that has grown in every fetch of an ended session. */
interface Riser {
  readonly id: string;
  readonly member: (typeof consumed)[number];
}

/**
 * Minimum number of sessions, and of fetches of each session after its end, from which a run can tell that fetches
 * raise a member; and the maximum number of sessions that are fetched again for this purpose.
 */
const risingMin = { sessions: 2, fetches: 3 } as const;
const risingMax = 3;

/**
 * A member grows with time if it has grown in the longer of two intervals by more than this share of what the shorter
 * interval predicts.
 */
const timeShare = 0.2;

/** Time in ms between the two pairs of fetches that show whether a member grows with time. */
const pairsMs = 1000;

/**
 * Judges that no fetch raises a cost or a count of a session that has ended. A service may book late, and may charge
 * for a browser until it is closed. So if a member has grown in all fetches of several ended sessions, fetches these
 * sessions twice at once, and twice at once after a pause. It is a violation if the member grows in each fetch, and the
 * growth does not follow the time.
 */
export async function fetchesAreFree(t: CheckContext): Promise<void> {
  const risers = sessionHistories(t).flatMap((history) => findRiser(history) ?? []);
  if (risers.length < risingMin.sessions) return;
  const grown: Observation[] = [];
  for (const { id, member } of risers.slice(0, risingMax)) {
    const seen = await fetchInPairs(t, id);
    const last = seen.at(-1);
    if (last === undefined || !growsByFetch(seen, member)) return;
    grown.push(last);
  }
  for (const [index, { record, exchange }] of grown.entries()) {
    const member = risers[index]?.member ?? 'totalCostUsd';
    const message = `${member} of a session that has ended is ${show(record[member])}; it grows in each fetch, however short the time between two fetches is, in this and in other sessions; expected that a fetch costs nothing`;
    t.expect(false, { exchange, member: `/${member}`, message });
  }
}

function findRiser({ id, fetches }: SessionHistory): Riser | undefined {
  const end = fetches.findIndex(({ record }) => endStates.includes(toText(record['status'])));
  const later = end === -1 ? [] : fetches.slice(end);
  if (later.length < risingMin.fetches) return undefined;
  const member = consumed.find((one) => growths(later, one).every(({ amount }) => amount > 0));
  return member === undefined ? undefined : { id, member };
}

/** Returns by how much a member has grown between consecutive fetches, and the times between the fetches in ms. */
function growths(fetches: readonly Observation[], member: string): { amount: number; ms: number }[] {
  return fetches.slice(1).map(({ record, exchange }, index) => {
    const before = fetches[index];
    const amount = Number(record[member]) - Number(before?.record[member]);
    return { amount, ms: exchange.atMs - (before?.exchange.atMs ?? 0) };
  });
}

async function fetchInPairs(t: CheckContext, id: string): Promise<Observation[]> {
  const seen: Observation[] = [];
  for (const isLate of [false, false, true, false]) {
    if (isLate) await t.pause(pairsMs);
    const exchange = await t.sessions.get(id);
    const record = sessionRecord(exchange);
    if (record !== undefined) seen.push({ exchange, record });
  }
  return seen;
}

/** Returns true if a member has grown in each of the three intervals between four fetches, but not with the time. */
function growsByFetch(seen: readonly Observation[], member: string): boolean {
  const [first, long, last] = growths(seen, member);
  if (first === undefined || long === undefined || last === undefined) return false;
  const isGrowing = [first, long, last].every(({ amount }) => amount > 0);
  const predicted = (first.amount / Math.max(first.ms, 1)) * long.ms;
  return isGrowing && long.amount < predicted * timeShare;
}
