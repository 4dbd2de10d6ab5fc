import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused } from '../../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, toText } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { isEquivalent } from '../../properties/laws/likeness.ts';
import type { Likeness } from '../../properties/laws/records.ts';
import { hasSpentCeiling } from '../../common/cost-ceilings.ts';
import { endStates, type Observation, oneShotSession } from '../../common/observed-session.ts';
import { isControlled, isOwnTask, readSettled, settleWait } from '../../common/target-facts.ts';
import { completeRecords, recordingIfAny, shownMember } from '../../common/session-records.ts';
import { errorLocations } from '../../common/refusals.ts';
import { show } from '../../core/text.ts';
import { isSameContent } from '../../common/signed-urls.ts';
import type { MembersV3, TargetTasks } from '../../core/target.ts';
import { historyLaw } from './checks-history-times.ts';
import { fetchesAreFree } from './checks-continuity.ts';
import { keptAfterFailure } from './checks-work.ts';
import { beforeFollowUps, endMs, type SessionHistory, sessionHistories, mayBeginTask } from './history.ts';
import { failingSession } from './scenarios.ts';
import { equippedSession } from './scenarios-creation.ts';
import { keptSession } from './scenarios-kept.ts';

/** Checks of settings, tasks and ends of V3 sessions, compared over every fetch of the run. */
export const sessionHistoryChecks: readonly Check[] = [
  historyLaw('V3-HISTORY-05', (t, history) => showsModel(t, history)),
  historyLaw('V3-HISTORY-06', (t, history) => {
    for (const setting of settings) {
      showsSetting(t, history, setting);
      showsNoOther(t, history, setting);
    }
  }),
  historyLaw('V3-HISTORY-07', (t, { fetches }) => {
    for (const { record, exchange } of fetches.filter((seen) => seen.record['status'] === 'running')) {
      const value = record['isTaskSuccessful'] ?? null;
      const message = `isTaskSuccessful is ${show(value)} while a task runs; expected null`;
      t.expect(value === null, { exchange, member: '/isTaskSuccessful', message });
    }
  }),
  check('V3-HISTORY-08', { needs: [oneShotSession], phase: 'last', early: endAll }, async (t) => {
    const session = await recordingIfAny(t, oneShotSession);
    if (session !== undefined) await t.sessions.get(session.id);
    // At the end of the run the record of every session is settled. A last fetch shows whether a request about another
    // session has changed it.
    for (const { id, creation, changes } of sessionHistories(t)) {
      const isRemoved = changes.some(({ request }) => request.method === 'DELETE');
      if (creation !== undefined && !isRemoved) await t.sessions.get(id);
    }
    await listsEnds(t);
    await fetchesAreFree(t);
    endAll(t);
  }),
  historyLaw('V3-HISTORY-09', (t, history) => cutShort(t, history)),
  check('V3-HISTORY-10', { needs: [failingSession, equippedSession, keptSession], phase: 'last' }, async (t) => {
    await recordingIfAny(t, keptSession);
    keptAfterFailure(t);
    const ends = [
      { name: 'fail', what: 'its agent has given up', ...(await t.recording(failingSession)) },
      { name: 'exceedCeiling', what: 'its ceiling has ended', ...(await t.recording(equippedSession)) },
    ] as const;
    const own = ends.filter(({ name }) => isOwnTask(t.target, name));
    for (const { what, end } of own) {
      const message = `the session is in error after a task that ${what}; expected idle or stopped`;
      t.expect(end.record['status'] !== 'error', { exchange: end.exchange, member: '/status', message });
    }
    if (own.length === 0) t.notTestable('the target file gives no goal of its own that fails (tasks.fail)');
  }),
  historyLaw('V3-HISTORY-11', (t, history) => {
    unchangedByRefusals(t, history);
    levelsKeptByRefusals(t, history);
  }),
  historyLaw('V3-HISTORY-12', (t, history) => {
    hasOwnMailbox(t, history);
    staysWithoutMailbox(t, history);
  }),
];

/**
 * Name that a record may show for a requested model, besides the aliases of the model. Section 4 of the contract maps
 * these names.
 */
const routedModels: Readonly<Record<string, string>> = { 'gemini-3-pro': 'gemini-3.1-pro' };

function showsModel(t: CheckContext, history: SessionHistory): void {
  const sent = history.creation?.body['model'];
  if (typeof sent !== 'string') return;
  // A follow-up without a model keeps the model of its session.
  const isKept = history.changes.every((change) => !isFollowUp(change) || requestObject(change)['model'] === undefined);
  for (const { record, exchange } of isKept ? history.fetches : beforeFollowUps(history)) {
    const found = record['model'] ?? null;
    const holds = isEquivalent('alias', sent, found) || routedModels[sent] === found;
    const message = `a session that was created with model ${sent} shows ${show(found)}; expected that model`;
    t.expect(holds, { cell: sent, exchange, member: '/model', message });
  }
}

/**
 * A member of the record, the comparison of its values, and the key under which the target file names the request
 * member if the contract does not name it.
 */
type Setting = readonly [string, Likeness, (keyof MembersV3)?];

const settings: readonly Setting[] = [
  ['thinkingLevel', 'same'],
  ['outputSchema', 'same'],
  ['proxyCountryCode', 'same', 'proxyCountryCode'],
  ['maxCostUsd', 'decimal', 'maxCostUsd'],
  ['profileId', 'same', 'profileId'],
  ['workspaceId', 'same', 'workspaceId'],
];

/** Returns the name of the request member of a setting; null or undefined if the target offers no such member. */
function getRequestName(t: CheckContext, [shown, , key]: Setting): string | null | undefined {
  return key === undefined ? shown : t.target.v3?.members[key];
}

function showsSetting(t: CheckContext, history: SessionHistory, setting: Setting): void {
  const [shown, as, key] = setting;
  const name = getRequestName(t, setting);
  const sent = typeof name === 'string' ? history.creation?.body[name] : undefined;
  if (sent === undefined || typeof name !== 'string') return;
  for (const { record, exchange } of beforeFollowUps(history)) {
    const found = shownMember(t, record, shown);
    if (found === undefined || (found === null && mayBeUnset(t, { key, name, sent, record }))) continue;
    if (found === null && shown === 'outputSchema' && isWithoutTask(history)) continue;
    const message = `a session that was created with ${name} ${show(sent)} shows ${shown} ${show(found)}; expected what was sent`;
    t.expect(isEquivalent(as, sent, found), { exchange, member: `/${shown}`, message });
  }
}

/** Returns true if a session was created without a task. A service may apply an output schema to a task alone. */
function isWithoutTask({ creation }: SessionHistory): boolean {
  return typeof creation?.body['task'] !== 'string';
}

/**
 * Judges that a session that was created without a setting does not show a value with which the run created another
 * session. A value that every such session shows is a default of the service. Does not judge the proxy country: a
 * service may show its default country while a proxy is in use, and null before and afterwards.
 */
function showsNoOther(t: CheckContext, history: SessionHistory, setting: Setting): void {
  const [shown, as] = setting;
  if (shown === 'proxyCountryCode') return;
  const name = getRequestName(t, setting);
  if (typeof name !== 'string' || history.creation === undefined || history.creation.body[name] !== undefined) return;
  const histories = sessionHistories(t).filter(({ creation }) => creation !== undefined);
  const sent = histories.flatMap(({ creation }) => creation?.body[name] ?? []);
  const unset = histories.filter(({ creation }) => creation?.body[name] === undefined);
  for (const { record, exchange } of beforeFollowUps(history)) {
    const found = record[shown] ?? null;
    if (found === null || !sent.some((value) => isEquivalent(as, value, found))) continue;
    const isDefault = unset.every(({ fetches }) => isEquivalent(as, found, fetches[0]?.record[shown] ?? null));
    const message = `a session that was created without ${name} shows ${shown} ${show(found)}, which another session of the run was created with; expected null or a default`;
    t.expect(isDefault, { exchange, member: `/${shown}`, message });
  }
}

/**
 * Returns true if a service may show null for a setting that was sent. For the country: if no session of the run shows
 * this country, or after the end of the session. For another member that the target file names: if no refusal has shown
 * that the service reads this member.
 */
function mayBeUnset(
  t: CheckContext,
  { key, name, sent, record }: { key: keyof MembersV3 | undefined; name: string; sent: JsonValue; record: JsonObject },
): boolean {
  // "Country of the proxy in use": a session that has ended uses none.
  if (key === 'proxyCountryCode') return !isCountryShown(t, sent) || endStates.includes(toText(record['status']));
  return key !== undefined && !readsMember(t, name);
}

/**
 * Returns true if a V3 session of the run has shown this country. A service without a proxy in that country shows null
 * (contract 2).
 */
function isCountryShown(t: CheckContext, code: JsonValue): boolean {
  return t.recorder
    .all()
    .some(({ generation, json }) => generation === 'v3' && isJsonObject(json) && json['proxyCountryCode'] === code);
}

/**
 * Returns true if a refusal has shown that the service reads a member: a 422 whose `loc` names it, or a 404 for the
 * creation of a session with a string in this member. The 404 says that no resource with this id exists.
 */
function readsMember(t: CheckContext, name: string): boolean {
  return t.recorder.all().some((exchange) => {
    const { generation, status } = exchange;
    if (generation !== 'v3') return false;
    if (status === 404 && exchange.operation === 'createSession')
      return typeof requestObject(exchange)[name] === 'string' && !isFollowUp(exchange);
    return errorLocations(exchange).some((loc) => loc.includes(name));
  });
}

const outcomes = ['output', 'isTaskSuccessful'] as const;
const bookings = ['stepCount', 'totalInputTokens', 'totalOutputTokens'] as const;

/** Time in ms after the end of a session, in which a controlled target may still count the last step. */
const bookingMs = 2_000;

function endAll(t: CheckContext): void {
  for (const history of sessionHistories(t)) endsForGood(t, history);
}

/** Members of an ended session that its record in a list shows as its fetch does. */
const listedMembers = ['status', 'model', 'thinkingLevel'] as const;

/**
 * Reads the list of sessions at the end of the run, and again until the settle deadline while it shows another status,
 * model or level of an ended session than the last fetch of this session: a list may be late. Judges that the last
 * answer shows the same. Judges only complete records, and nothing if the target offers no list.
 */
async function listsEnds(t: CheckContext): Promise<void> {
  const list = t.readOnly ? undefined : t.target.v3?.list;
  if (list === undefined || list === null) return;
  const ends = new Map(
    sessionHistories(t).flatMap(({ id, fetches }) => {
      const record = fetches.at(-1)?.record;
      return record !== undefined && endStates.includes(toText(record['status'])) ? [[id, record] as const] : [];
    }),
  );
  const whole = t.operations.request('v3.listSessions', { query: { page_size: 100 } });
  const spec =
    whole ?? ({ generation: 'v3', operation: 'listSessions', method: list.method, path: list.path } as const);
  const look = async (): Promise<ListedMember[]> => {
    const exchange = await t.send(spec);
    const rows = completeRecords(t).filter((seen) => seen.exchange === exchange);
    return rows.flatMap(({ record }) => {
      const last = ends.get(toText(record['id']));
      if (last === undefined) return [];
      const shown = listedMembers.filter((member) => Object.hasOwn(record, member) && Object.hasOwn(last, member));
      return shown
        .filter((member) => record[member] !== last[member])
        .map((member) => ({
          exchange,
          id: toText(record['id']),
          member,
          listed: record[member],
          fetched: last[member],
        }));
    });
  };
  const late = await readSettled(t, look, (rows) => rows.length === 0);
  for (const { exchange, id, member, listed, fetched } of late) {
    const message = `the list shows the session ${id} with ${member} ${show(listed)}, and its record says ${show(fetched)}; expected one ${member}${settleWait(t)}`;
    t.expect(false, { cell: 'the list', exchange, message });
  }
}

/** A member of an ended session that a list shows otherwise than the last fetch of this session. */
interface ListedMember {
  readonly exchange: Exchange;
  readonly id: string;
  readonly member: string;
  readonly listed: JsonValue | undefined;
  readonly fetched: JsonValue | undefined;
}

function endsForGood(t: CheckContext, history: SessionHistory): void {
  const { fetches } = history;
  const end = fetches.find(({ record }) => endStates.includes(toText(record['status'])));
  if (end === undefined) return;
  const later = fetches.filter(({ exchange }) => exchange.atMs >= endMs(end.exchange));
  for (const { record, exchange } of later) {
    const message = `a session that was ${show(end.record['status'])} is ${show(record['status'])}; expected nothing to follow an end`;
    t.expect(record['status'] === end.record['status'], { exchange, member: '/status', message });
  }
  stays(t, [end, ...later], outcomes);
  keepsSettings(t, history, end);
  keepsLevel(t, [end, ...later]);
  const settleMs = isControlled(t.target) ? bookingMs : t.target.polling.settleDeadlineMs;
  stays(
    t,
    later.filter(({ exchange }) => exchange.atMs >= endMs(end.exchange) + settleMs),
    bookings,
  );
}

/** Judges that the level of an ended session stays the same in all later fetches. Null counts as a level. */
function keepsLevel(t: CheckContext, [end, ...later]: readonly Observation[]): void {
  const was = end?.record['thinkingLevel'] ?? null;
  for (const { record, exchange } of later) {
    const is = record['thinkingLevel'] ?? null;
    const message = `thinkingLevel was ${show(was)} and is ${show(is)} in a session that has ended; expected it to stay`;
    t.expect(was === is, { exchange, member: '/thinkingLevel', message });
  }
}

const chosen = ['model', 'thinkingLevel', 'outputSchema', 'maxCostUsd'] as const;

/** Judges that the settings from a session's requests stay unchanged when the session ends. */
function keepsSettings(t: CheckContext, { fetches, changes }: SessionHistory, end: Observation): void {
  const before = fetches.findLast(({ exchange }) => endMs(exchange) <= end.exchange.atMs);
  if (before === undefined) return;
  const isChanged = changes.some(
    (change) => isFollowUp(change) && endMs(change) > before.exchange.atMs && change.atMs < endMs(end.exchange),
  );
  if (!isChanged) stays(t, [before, end], chosen);
}

function stays(t: CheckContext, [first, ...later]: readonly Observation[], members: readonly string[]): void {
  for (const { record, exchange } of later) {
    for (const member of members) {
      const [was, is] = [first?.record[member] ?? null, record[member] ?? null];
      const message = `${member} was ${show(was)} and is ${show(is)} in a session that has ended; expected it to stay`;
      t.expect(was === null || isSameContent(was, is), { exchange, member: `/${member}`, message });
    }
  }
}

/**
 * Judges that a task that was stopped, or ended by its cost ceiling, is not shown as a success. Judges only the tasks
 * `slow` and `exceedCeiling` if the target file defines them itself, because other tasks may end too early. Judges no
 * session with a follow-up that was not refused.
 */
function cutShort(t: CheckContext, history: SessionHistory): void {
  const { creation, fetches, changes } = history;
  const task = toText(creation?.body['task']);
  const isGoal = (name: keyof TargetTasks): boolean => isOwnTask(t.target, name) && task === t.target.tasks[name];
  if (changes.some((exchange) => mayBeginTask(exchange))) return;
  // The task may be done below the ceiling all the same; only its cost shows that the ceiling has ended it.
  if (isGoal('exceedCeiling') && fetches.some(({ record }) => hasSpentCeiling(record)))
    isNoSuccess(t, fetches, 'cut short by its ceiling');
  if (!isGoal('slow') || !ranAtStop(history)) return;
  const mayBeDone = mayEndBeforeStop(history);
  const cut = fetches.filter(({ record }) => !mayBeDone || (record['output'] ?? null) === null);
  isNoSuccess(t, cut, 'stopped while it ran');
}

function isNoSuccess(t: CheckContext, fetches: readonly Observation[], how: string): void {
  for (const { record, exchange } of fetches) {
    const message = `isTaskSuccessful is true for a task that was ${how}; expected false or null`;
    t.expect(record['isTaskSuccessful'] !== true, { exchange, member: '/isTaskSuccessful', message });
  }
}

function isRunning({ record }: Observation): boolean {
  return record['status'] === 'running';
}

/** Returns true if the last fetch before the stop of a session shows it running. */
function ranAtStop({ fetches, changes }: SessionHistory): boolean {
  const last = lastBefore(findStop(changes), fetches);
  return last !== undefined && isRunning(last);
}

/**
 * Maximum time between the last fetch before a stop and the answer to the stop, as a share of the time that the task
 * had worked at that fetch. Within this time, the task is unlikely to have ended by itself.
 */
const chanceShare = 0.05;

/** Returns true if a task had time to end by itself between the last fetch before a stop and the answer to the stop. */
function mayEndBeforeStop({ creation, fetches, changes }: SessionHistory): boolean {
  const stop = findStop(changes);
  const last = lastBefore(stop, fetches)?.exchange;
  if (creation === undefined || stop === undefined || last === undefined) return false;
  return endMs(stop) - last.atMs > (last.atMs - creation.exchange.atMs) * chanceShare;
}

function findStop(changes: readonly Exchange[]): Exchange | undefined {
  return changes.find(({ operation }) => operation === 'stopSession');
}

function lastBefore(change: Exchange | undefined, fetches: readonly Observation[]): Observation | undefined {
  return change === undefined ? undefined : fetches.findLast(({ exchange }) => endMs(exchange) <= change.atMs);
}

const kept = [
  'status',
  'thinkingLevel',
  'outputSchema',
  'output',
  'isTaskSuccessful',
  'stepCount',
  'lastStepSummary',
] as const;

/**
 * Members that show the consumption of the model. A service may book the last step of the previous task only after the
 * task has ended.
 */
const booked = ['totalInputTokens', 'totalOutputTokens', 'llmCostUsd'] as const;

function unchangedByRefusals(t: CheckContext, { fetches, changes }: SessionHistory): void {
  const quiet: Looks[] = [];
  for (const refusal of changes.filter((exchange) => isFollowUp(exchange) && exchange.status === 422)) {
    const before = fetches.findLast(({ exchange }) => endMs(exchange) <= refusal.atMs);
    const after = fetches.find(({ exchange }) => exchange.atMs >= endMs(refusal));
    if (before === undefined || after === undefined || !isQuiet(changes, refusal, [before, after])) continue;
    // Inactivity may end an idle session between any two fetches.
    if (after.record['status'] === 'timed_out') continue;
    for (const member of kept) {
      const [was, is] = [before.record[member], after.record[member]];
      if (was === undefined && is === undefined) continue;
      const message = `${member} was ${show(was)} and is ${show(is)} after a follow-up that was refused with 422; expected no change`;
      t.expect(isSameContent(was, is), {
        exchange: after.exchange,
        member: `/${member}`,
        message,
      });
    }
    const earlier = fetches.findLast(({ exchange }) => endMs(exchange) <= before.exchange.atMs);
    booksNothing(t, earlier, [before, after]);
    if (isAtRest([earlier, before, after])) quiet.push([before, after]);
  }
  untouched(t, quiet);
}

/** Judges that a follow-up which is refused for any reason, even while a task runs, does not change the level. */
function levelsKeptByRefusals(t: CheckContext, { fetches, changes }: SessionHistory): void {
  for (const refusal of changes.filter((exchange) => isFollowUp(exchange) && refused(exchange))) {
    const before = fetches.findLast(({ exchange }) => endMs(exchange) <= refusal.atMs);
    const after = fetches.find(({ exchange }) => exchange.atMs >= endMs(refusal));
    if (before === undefined || after === undefined) continue;
    const isAlone = changes.every(
      (change) =>
        !mayBeginTask(change) || endMs(change) <= before.exchange.atMs || change.atMs >= endMs(after.exchange),
    );
    const [was, is] = [before.record['thinkingLevel'] ?? null, after.record['thinkingLevel'] ?? null];
    const message = `thinkingLevel was ${show(was)} and is ${show(is)} after a follow-up that ${describeAnswer(refusal)}; expected no change`;
    t.expect(!isAlone || was === is, { exchange: after.exchange, member: '/thinkingLevel', message });
  }
}

/** The fetches of a session before and after a refusal. */
type Looks = readonly [before: Observation, after: Observation];

/**
 * Judges that a refused follow-up does not change the consumption (`booked`) that an idle session shows. Judges only
 * members with the same value in two fetches before the refusal.
 */
function booksNothing(t: CheckContext, earlier: Observation | undefined, [before, after]: Looks): void {
  if (earlier?.record['status'] !== 'idle') return;
  for (const member of booked) {
    const [first, was, is] = [earlier.record[member], before.record[member], after.record[member]];
    const message = `${member} was ${show(was)} and is ${show(is)} after a follow-up that was refused with 422; expected no change`;
    t.expect(first === undefined || first !== was || was === is, {
      exchange: after.exchange,
      member: `/${member}`,
      message,
    });
  }
}

/** Members that change with every fetch or with the passing of time. */
const passing = ['updatedAt', 'screenshotUrl', 'liveUrl'];

/**
 * Returns true if an idle session rested before a refusal, and only members of `passing` differ after it. It rested if
 * `updatedAt` was the same in two fetches that were at least half as far apart as the two fetches around the refusal. A
 * service may update costs, and with them `updatedAt`, at any time.
 */
function isAtRest([earlier, before, after]: readonly [Observation | undefined, ...Looks]): boolean {
  if (earlier?.record['status'] !== 'idle' || earlier.record['updatedAt'] !== before.record['updatedAt']) return false;
  const restedMs = before.exchange.atMs - endMs(earlier.exchange);
  if (restedMs * 2 < after.exchange.atMs - endMs(before.exchange)) return false;
  const names = [...new Set([...Object.keys(before.record), ...Object.keys(after.record)])];
  const isSame = (name: string): boolean => isSameContent(before.record[name], after.record[name]);
  return names.every((name) => passing.includes(name) || isSame(name));
}

/**
 * Minimum number of refusals that show whether a refusal changes a session: a service may update its record by itself.
 */
const refusalsMin = 2;

function untouched(t: CheckContext, quiet: readonly Looks[]): void {
  const [first] = quiet;
  const isTouched = ([before, after]: Looks): boolean => before.record['updatedAt'] !== after.record['updatedAt'];
  if (first === undefined || quiet.length < refusalsMin || !quiet.every((looks) => isTouched(looks))) return;
  const [before, after] = first;
  const message = `updatedAt was ${show(before.record['updatedAt'])} and is ${show(after.record['updatedAt'])} after a follow-up that was refused with 422, as after each of ${quiet.length}, while nothing else has changed; expected no change`;
  t.expect(false, { exchange: after.exchange, member: '/updatedAt', message });
}

/**
 * Returns true if the session was idle after a task in the first fetch, and only requests that were refused with 422
 * were in flight between the two fetches.
 */
function isQuiet(
  changes: readonly Exchange[],
  refusal: Exchange,
  [before, after]: [Observation, Observation],
): boolean {
  if (before.record['status'] !== 'idle' || typeof before.record['isTaskSuccessful'] !== 'boolean') return false;
  return changes.every(
    (exchange) =>
      exchange === refusal ||
      exchange.status === 422 ||
      endMs(exchange) <= before.exchange.atMs ||
      exchange.atMs >= endMs(after.exchange),
  );
}

/** Judges that a session that was created with the mailbox option false never has a mailbox. */
function staysWithoutMailbox(t: CheckContext, { creation, fetches }: SessionHistory): void {
  const name = t.target.v3?.members.inbox;
  if (typeof name !== 'string' || creation?.body[name] !== false) return;
  for (const { record, exchange } of fetches) {
    const box = record['inboxEmail'] ?? null;
    const message = `inboxEmail is ${show(box)} in a session that was created with ${name} false; expected null`;
    t.expect(box === null, { exchange, member: '/inboxEmail', message });
  }
}

function hasOwnMailbox(t: CheckContext, history: SessionHistory): void {
  const findInbox = ({ fetches }: SessionHistory): Observation | undefined =>
    fetches.find(({ record }) => typeof record['inboxEmail'] === 'string');
  const seen = findInbox(history);
  if (seen === undefined) return;
  const box = toText(seen.record['inboxEmail']);
  const about = { exchange: seen.exchange, member: '/inboxEmail' };
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(box);
  t.expect(isAddress, { ...about, message: `inboxEmail is ${show(box)}; expected an e-mail address` });
  const changed = history.fetches.find(
    ({ record }) => typeof record['inboxEmail'] === 'string' && record['inboxEmail'] !== box,
  );
  const later = `inboxEmail was ${show(box)} and is ${show(changed?.record['inboxEmail'])}; expected one mailbox for the session`;
  t.expect(changed === undefined, { exchange: changed?.exchange, member: '/inboxEmail', message: later });
  const other = sessionHistories(t).find(({ id, fetches }) => id !== history.id && fetches.some(hasBox(box)));
  const message = `the sessions ${history.id} and ${other?.id ?? ''} both have the mailbox ${show(box)}; expected one each`;
  t.expect(other === undefined, { ...about, message });
}

function hasBox(box: string): (seen: Observation) => boolean {
  return ({ record }) => record['inboxEmail'] === box;
}
