import { check, type Check, type CheckContext } from '../../core/check.ts';
import type { JsonValue } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import type { Observation } from '../../common/observed-session.ts';
import { recordingIfAny } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { historyLaw } from './checks-history-times.ts';
import { beforeFollowUps, type SessionHistory, sessionHistories, wasCreatedTaskless, mayBeginTask } from './history.ts';
import { emptySession } from './scenarios-empty.ts';

/** Checks of the initial values of a V3 session, and of members whose options were not requested. */
export const sessionUnsetChecks: readonly Check[] = [
  emptyLaw('V3-HISTORY-13', (t, history) => {
    for (const { record, exchange } of beforeTasks(history)) {
      for (const member of counters) {
        const value = record[member] ?? 0;
        const message = `${member} is ${show(value)} in a session whose agent has not begun; expected 0`;
        t.expect(Number(value) === 0, { exchange, member: `/${member}`, message });
      }
    }
  }),
  emptyLaw('V3-HISTORY-16', (t, history) => {
    for (const member of ['thinkingLevel', 'outputSchema'] as const) {
      if (history.creation === undefined || (history.creation.body[member] ?? null) !== null) continue;
      for (const { record, exchange } of beforeFollowUps(history)) {
        const value = record[member] ?? null;
        const message = `${member} is ${show(value)} in a session that was created without one; expected null`;
        t.expect(value === null, { exchange, member: `/${member}`, message });
      }
    }
    unrecorded(t, history);
  }),
  emptyLaw('V3-HISTORY-17', (t, history) => {
    for (const { record, exchange } of beforeTasks(history)) {
      for (const member of ['title', 'lastStepSummary'] as const) {
        const value = record[member] ?? null;
        const message = `${member} is ${show(value)} in a session whose agent has not begun; expected null`;
        t.expect(value === null, { exchange, member: `/${member}`, message });
      }
    }
  }),
  historyLaw('V3-HISTORY-18', (t, { fetches }) => {
    for (const { record, exchange } of fetches) {
      for (const member of amounts) {
        const value = record[member] ?? 0;
        const message = `${member} is ${show(value)}; expected nothing below 0`;
        t.expect(!(Number(value) < 0), { exchange, member: `/${member}`, message });
      }
    }
  }),
  historyLaw('V3-HISTORY-20', (t, history) => {
    for (const member of ['liveUrl', 'recordingUrls'] as const) hasOwnAddresses(t, history, member);
  }),
];

const counters = ['stepCount', 'totalInputTokens', 'totalOutputTokens', 'llmCostUsd'] as const;

const amounts = [...counters, 'proxyUsedMb', 'proxyCostUsd', 'browserCostUsd', 'totalCostUsd'] as const;

/**
 * Creates a check that judges the history of each session of the run. A session without a task suffices for this check.
 */
function emptyLaw(id: Check['id'], judge: (t: CheckContext, history: SessionHistory) => void): Check {
  const judgeAll = (t: CheckContext): void => {
    for (const history of sessionHistories(t)) judge(t, history);
  };
  return check(id, { needs: [emptySession], phase: 'last', early: judgeAll }, async (t) => {
    // A service may refuse a session without a task; other sessions are judged all the same.
    await recordingIfAny(t, emptySession);
    judgeAll(t);
  });
}

/** Returns the fetches of a session before any task can have begun. */
function beforeTasks(history: SessionHistory): readonly Observation[] {
  const isTaskless = wasCreatedTaskless(history);
  return beforeFollowUps(history).filter(({ record }) => isTaskless || record['status'] === 'created');
}

function unrecorded(t: CheckContext, history: SessionHistory): void {
  const { creation, changes, fetches } = history;
  withoutTask(t, history);
  const requests = [creation?.body, ...changes.filter((change) => isFollowUp(change)).map((one) => requestObject(one))];
  if (requests.some((body) => body === undefined || body['enableRecording'] === true)) return;
  for (const { record, exchange } of fetches) {
    const value = record['recordingUrls'] ?? [];
    const message = `recordingUrls is ${show(value)} in a session without enableRecording; expected none`;
    t.expect(!Array.isArray(value) || value.length === 0, { exchange, member: '/recordingUrls', message });
  }
}

/** Judges that a session without a task shows no recording, because no task has completed. */
function withoutTask(t: CheckContext, history: SessionHistory): void {
  if (!wasCreatedTaskless(history) || history.changes.some((change) => mayBeginTask(change))) return;
  for (const { record, exchange } of history.fetches) {
    const value = record['recordingUrls'] ?? [];
    const message = `recordingUrls is ${show(value)} in a session that had no task; expected none before a task has completed`;
    t.expect(!Array.isArray(value) || value.length === 0, { exchange, member: '/recordingUrls', message });
  }
}

function hasOwnAddresses(t: CheckContext, history: SessionHistory, member: string): void {
  const own = new Map(history.fetches.flatMap((seen) => addressesIn(seen.record[member]).map((url) => [url, seen])));
  for (const other of sessionHistories(t)) {
    if (other.id <= history.id) continue;
    const shared = other.fetches.flatMap(({ record }) => addressesIn(record[member])).find((url) => own.has(url));
    const message = `the sessions ${history.id} and ${other.id} both show ${show(shared)} in ${member}; expected an address each`;
    const exchange = shared === undefined ? undefined : own.get(shared)?.exchange;
    t.expect(shared === undefined, { exchange, member: `/${member}`, message });
  }
}

function addressesIn(value: JsonValue | undefined): string[] {
  return (Array.isArray(value) ? value : [value]).filter((url) => typeof url === 'string');
}
