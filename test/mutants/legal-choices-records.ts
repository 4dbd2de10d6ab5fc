import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { elsewhere, namesElsewhere } from './legal-variants.ts';
import type { Choice, Seen, Tamper } from './mutant.ts';
import { created, fetched, records } from './tampers.ts';
import type { World } from './world.ts';

const isFetch = ({ method, url }: Seen): boolean =>
  method === 'GET' && /^\/api\/v[234]\/(tasks|sessions|runs)\/[0-9a-f-]{36}$/.test(url);

const endWords = ['stopped', 'timed_out', 'error', 'finished', 'completed', 'failed', 'cancelled'];

/** Time in milliseconds after which an ended resource is no longer found. */
const keptMs = 10 * 60_000;

/** Answers 404 for an ended resource more than ten minutes after the first fetch that showed its end. */
const forgetsLater = (world: World): Tamper => {
  const seenMs = new Map<string, number>();
  return {
    answer: (seen, { status, body }) => {
      if (!isFetch(seen) || status !== 200 || !isJsonObject(body)) return undefined;
      if (!endWords.includes(String(body['status']))) return undefined;
      const sinceMs = seenMs.get(seen.url) ?? world.now();
      seenMs.set(seen.url, sinceMs);
      return world.now() - sinceMs > keptMs ? { status: 404, body: { detail: 'Not found' } } : undefined;
    },
  };
};

/** Answers the fourth fetch of each ended resource with a server error, and every other fetch with the record. */
const failsOnce = (): Tamper => {
  const looks = new Map<string, number>();
  return {
    answer: (seen, { status, body }) => {
      if (!isFetch(seen) || status !== 200 || !isJsonObject(body)) return undefined;
      if (!endWords.includes(String(body['status']))) return undefined;
      const look = (looks.get(seen.url) ?? 0) + 1;
      looks.set(seen.url, look);
      return look === 4 ? { status: 500, body: { detail: 'Try again' } } : undefined;
    },
  };
};

/**
 * Answers refused follow-ups to ended sessions with a 422 that names the session id instead of the level. Refusals with
 * 401 stay unchanged.
 */
const refusesEnded = (): Tamper => {
  const ended = new Set<unknown>();
  const isLate = ({ method, url, body }: Seen): boolean =>
    method === 'POST' && url === '/api/v3/sessions' && isJsonObject(body) && ended.has(body['sessionId']);
  return {
    answer: (seen, { status, body }) => {
      if (isJsonObject(body) && endWords.includes(String(body['status']))) ended.add(body['id']);
      const detail = [{ loc: ['body', 'sessionId'], msg: 'The session has ended', type: 'value_error' }];
      return isLate(seen) && status >= 400 && status !== 401 ? { status: 422, body: { detail } } : undefined;
    },
  };
};

const isMoved = ({ method, url }: Seen): boolean => method === 'PUT' && url.endsWith('/next-task');

/**
 * Serves follow-ups at a separate endpoint. Refuses follow-ups with `codeMode` or `outputSchema`, which specify the
 * form of the output.
 */
const refusesForms: Tamper = {
  request: (seen) => {
    const moved = elsewhere.request?.(seen);
    return isMoved(seen) && hasForm(seen) ? { ...moved, body: { task: 7 } } : moved;
  },
  answer: (seen) => {
    const detail = [{ loc: ['body', 'codeMode'], msg: 'Unknown member', type: 'extra_forbidden' }];
    return isMoved(seen) && hasForm(seen) ? { status: 422, body: { detail } } : undefined;
  },
};

function hasForm({ body }: Seen): boolean {
  return isJsonObject(body) && ('codeMode' in body || 'outputSchema' in body);
}

/** Members that the contract shows in a follow-up. */
const shownMembers = ['task', 'thinkingLevel'];

const hasUnknown = ({ body }: Seen): boolean =>
  isJsonObject(body) && Object.keys(body).some((name) => !shownMembers.includes(name));

/**
 * Serves follow-ups at a separate endpoint. Refuses follow-ups with members that the contract does not show in a
 * follow-up, and adds `keepAlive` to all other follow-ups.
 */
const refusesUnknown: Tamper = {
  request: (seen) => {
    const moved = elsewhere.request?.(seen);
    if (!isMoved(seen) || !isJsonObject(moved?.body)) return moved;
    return { ...moved, body: hasUnknown(seen) ? { task: 7 } : { ...moved.body, keepAlive: true } };
  },
  answer: (seen, { status }) => {
    if (!isMoved(seen) || !hasUnknown(seen) || status === 401) return undefined;
    return { status: 422, body: { detail: [{ loc: ['body'], msg: 'Unknown members', type: 'extra_forbidden' }] } };
  },
};

/** Sets the output schema of follow-ups at the separate endpoint to null, so that their sessions show no schema. */
const dropsSchemas: Tamper = {
  request: (seen) => {
    const moved = elsewhere.request?.(seen);
    if (!isMoved(seen) || !isJsonObject(moved?.body)) return moved;
    return { ...moved, body: { ...moved.body, outputSchema: null } };
  },
};

const usd = (value: unknown): number => Number(value ?? 0);

/** Returns a record with other costs, and with the total of its costs corrected. */
function priced(record: JsonObject, costs: JsonObject): JsonObject {
  const changed = { ...record, ...costs };
  const parts = ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd'] as const;
  const total = parts.reduce((sum, name) => sum + usd(changed[name]), 0);
  return { ...changed, totalCostUsd: total.toFixed(6) };
}

/** Doubles the model cost of a stopped session whose total cost has reached its ceiling. */
const dearLastStep: Tamper = records((record) => {
  const isSpent = usd(record['maxCostUsd']) > 0 && usd(record['totalCostUsd']) >= usd(record['maxCostUsd']);
  if (record['status'] !== 'stopped' || !isSpent) return record;
  return priced(record, { llmCostUsd: (2 * usd(record['llmCostUsd'])).toFixed(6) });
});

/**
 * Increases `updatedAt` of the first session that is shown as stopped with each further fetch. For every other stopped
 * session, increases it only with the first two fetches.
 */
const lateUpdates = (): Tamper => {
  const ends = new Map<unknown, number>();
  return fetched((record) => {
    if (record['status'] !== 'stopped') return record;
    const count = (ends.get(record['id']) ?? 0) + 1;
    ends.set(record['id'], count);
    const isFirst = [...ends.keys()][0] === record['id'];
    const updatedAt = Date.parse(String(record['updatedAt'])) + (isFirst ? count : Math.min(count, 2));
    return { ...record, updatedAt: new Date(updatedAt).toISOString() };
  });
};

/**
 * Shows one session as `error`, as if its sandbox was lost: the first session that becomes idle after a failed task.
 * The session then stays in this state.
 */
const losesSandbox = (): Tamper => {
  let lost: unknown;
  return records((record) => {
    if (record['status'] === 'idle' && record['isTaskSuccessful'] === false) lost ??= record['id'];
    return lost !== undefined && record['id'] === lost ? { ...record, status: 'error' } : record;
  });
};

/** Choices about ended resources, and about follow-ups. */
export const recordChoices: readonly Choice[] = [
  {
    name: 'recordings that are made when their session is stopped',
    only: ['V3-CREATE-11', 'V3-CREATE-18', 'V3-SESSION-27', 'V3-SESSION-28', 'V3-HISTORY-14'],
    tamper: records((record) => (record['status'] === 'stopped' ? record : { ...record, recordingUrls: [] })),
  },
  {
    name: 'a sandbox that is lost while the task of one session fails',
    only: ['V3-HISTORY-10', 'LIFE-14', 'V3-CREATE-18'],
    tamper: losesSandbox,
  },
  {
    name: 'a level that is shown where it is set',
    only: ['VER-10', 'V3-THINK-26', 'V3-THINK-28', 'V3-HISTORY-06', 'V3-HISTORY-16'],
    tamper: records(({ thinkingLevel = null, ...record }) =>
      thinkingLevel === null ? record : { ...record, thinkingLevel },
    ),
  },
  {
    name: 'a default model that a refused creation has named too',
    only: ['EFFECT-05'],
    tamper: created((body) => ('model' in body ? body : { ...body, model: 'glm-5.2' })),
  },
  {
    name: 'a last step that costs as much as all before it, at the ceiling of its session',
    only: ['V3-SESSION-32', 'V3-CREATE-16', 'V3-HISTORY-04', 'LIFE-16'],
    tamper: dearLastStep,
  },
  {
    name: 'updates of some ended sessions that no member shows',
    only: ['V3-HISTORY-02', 'V3-HISTORY-03', 'V3-HISTORY-08'],
    tamper: lateUpdates,
  },
  {
    name: 'models that cost nothing, and whose tokens are not counted',
    only: ['V3-HISTORY-24', 'V3-HISTORY-21', 'LIFE-15', 'LIFE-16'],
    tamper: records((record) => priced({ ...record, totalInputTokens: 0, totalOutputTokens: 0 }, { llmCostUsd: '0' })),
  },
  {
    name: 'browsers that are charged when their session is stopped',
    only: ['LIFE-15', 'LIFE-16', 'V3-SESSION-39'],
    tamper: records((record) => (record['status'] === 'stopped' ? record : priced(record, { browserCostUsd: '0' }))),
  },
  {
    name: 'records of ended sessions, tasks and runs that are kept for ten minutes',
    only: ['IDENTITY-03', 'V3-HISTORY-08', 'LIFE-07', 'LIMIT-03', 'V3-CREATE-08'],
    promises: ['V2-VIEW-01'],
    tamper: forgetsLater,
  },
  {
    name: 'a host that fails once',
    only: ['IDENTITY-03', 'V3-HISTORY-08', 'V3-CREATE-08'],
    promises: ['V3-GET-01'],
    tamper: failsOnce,
  },
  {
    name: 'tasks of ended sessions that are refused with 422',
    only: ['V3-FOLLOW-02', 'V3-FOLLOW-05', 'LIFE-01', 'LIFE-07'],
    tamper: refusesEnded,
  },
  {
    name: 'follow-ups of an operation of their own that take no code mode and no schema',
    only: ['V3-SESSION-11', 'V3-SESSION-13', 'V3-CREATE-09', 'V3-FOLLOW-03', 'V3-HISTORY-15'],
    targetFile: namesElsewhere,
    tamper: refusesForms,
  },
  {
    name: 'follow-ups of an operation of their own that take a task and a level',
    only: ['V3-FOLLOW-01', 'V3-FOLLOW-02', 'V3-FOLLOW-04', 'LIFE-03', 'V3-THINK-28', 'V3-THINK-29', 'STATE-SESSIONS'],
    targetFile: namesElsewhere,
    tamper: refusesUnknown,
  },
  {
    name: 'follow-ups of an operation of their own that have no schema',
    only: ['V3-SESSION-13', 'V3-HISTORY-15', 'V3-SESSION-15'],
    targetFile: namesElsewhere,
    tamper: dropsSchemas,
  },
];
