import { isJsonObject } from '#lib/json.ts';
import { elsewhere, namesElsewhere } from './legal-variants.ts';
import type { Choice, Seen, Tamper } from './mutant.ts';
import type { World } from './world.ts';

const isFetch = ({ method, url }: Seen): boolean =>
  method === 'GET' && /^\/api\/v[234]\/(tasks|sessions|runs)\/[0-9a-f-]{36}$/.test(url);

const endWords = ['stopped', 'timed_out', 'error', 'finished', 'completed', 'failed', 'cancelled'];

/** Time in ms for which ended resources are kept. */
const keptMs = 10 * 60_000;

/** Keeps the record of what has ended for a limited time. */
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

/** Answers one fetch of each ended resource with a server error, and the next one with its record. */
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

/** Answers follow-ups of ended sessions with 422, which names the session and not its level. */
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

/** Refuses follow-ups of an operation of their own that name the form of their output. */
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

/** Follow-ups of an operation of their own ignore a schema, and their sessions show none. */
const dropsSchemas: Tamper = {
  request: (seen) => {
    const moved = elsewhere.request?.(seen);
    if (!isMoved(seen) || !isJsonObject(moved?.body)) return moved;
    return { ...moved, body: { ...moved.body, outputSchema: null } };
  },
};

/** Choices about what has ended, and about follow-ups. */
export const recordChoices: readonly Choice[] = [
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
    name: 'follow-ups of an operation of their own that have no schema',
    only: ['V3-SESSION-13', 'V3-HISTORY-15', 'V3-SESSION-15'],
    targetFile: namesElsewhere,
    tamper: dropsSchemas,
  },
];
