import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Choice, Seen, Tamper } from './mutant.ts';
import { records } from './tampers.ts';
import type { World } from './world.ts';

/** Reverses the order of the members of objects in every second answer at each path. */
function otherOrder(): Tamper {
  const counts = new Map<string, number>();
  const reversed = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(reversed);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).toReversed();
    return Object.fromEntries(members.map(([name, inner]) => [name, reversed(inner)]));
  };
  return {
    answer: ({ url }, { body }) => {
      if (!url.startsWith('/api/') || !isJsonObject(body)) return undefined;
      const [path = ''] = url.split('?');
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      return count % 2 === 0 ? { body: reversed(body) } : undefined;
    },
  };
}

const finalStates = ['idle', 'stopped'];

/** Shows no title of a session until 1.5 s after the first response that shows the end of its task. */
const lateTitles = (world: World): Tamper => {
  const endedMs = new Map<unknown, number>();
  return records((record) => {
    if (typeof record['isTaskSuccessful'] !== 'boolean' || !finalStates.includes(String(record['status'])))
      return { ...record, title: null };
    const sinceMs = endedMs.get(record['id']) ?? world.now();
    endedMs.set(record['id'], sinceMs);
    return world.now() - sinceMs < 1_500 ? { ...record, title: null } : record;
  });
};

const isSession = /^\/api\/v3\/sessions\/[\w-]+(\/stop)?(\?|$)/;

/** Answers 422 in place of 404 for an unknown V3 session. */
const unknownIsInvalid: Tamper = {
  answer: ({ url }, { status }) =>
    isSession.test(url) && status === 404
      ? { status: 422, body: { detail: [{ loc: ['path', 'session_id'], msg: 'Session not found', type: 'missing' }] } }
      : undefined,
};

/**
 * Adds a URL to the texts of outputs, results and events whenever they are fetched. The URL has another signature in
 * each answer.
 */
function signedTexts(): Tamper {
  let count = 0;
  const signed = (text: string): string => `${text} (https://files.example/a.png?signature=${count})`;
  const signedIn = (record: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name,
        ['output', 'result', 'text', 'summary'].includes(name) && typeof value === 'string' ? signed(value) : value,
      ]),
    );
  return {
    answer: ({ method, url }: Seen, { status, body }) => {
      if (method !== 'GET' || status !== 200 || !isJsonObject(body) || !/\/(sessions|tasks|runs)\//.test(url))
        return undefined;
      count += 1;
      const { events } = body;
      if (!Array.isArray(events)) return { body: signedIn(body) };
      const shown = events.map((event) =>
        isJsonObject(event) && isJsonObject(event['data']) ? { ...event, data: signedIn(event['data']) } : event,
      );
      return { body: { ...body, events: shown } };
    },
  };
}

const isDeletion = ({ method, url }: Seen): boolean => method === 'DELETE' && url.startsWith('/api/v4/sessions/');

/** Refuses the deletion of V4 sessions with 405. */
const withoutDeletion: Tamper = {
  request: (seen) => (isDeletion(seen) ? { method: 'GET' } : undefined),
  answer: (seen) => (isDeletion(seen) ? { status: 405, body: { detail: 'Method Not Allowed' } } : undefined),
};

/** Answers 429 to the first four requests. */
function busyAtFirst(): Tamper {
  let count = 0;
  return {
    answer: ({ url }) => {
      if (!url.startsWith('/api/')) return undefined;
      count += 1;
      return count <= 4 ? { status: 429, headers: { 'retry-after': '0' }, body: { detail: 'Try again' } } : undefined;
    },
  };
}

/**
 * Answers 503 to the first stop of each browser whose creation has the member `proxyCountryCode`, and does not forward
 * the stop.
 */
function losesStops(): Tamper {
  const lost = new Set<string>();
  const isLost = ({ method, url }: Seen): boolean => method === 'PATCH' && lost.has(url);
  return {
    request: (seen) => (isLost(seen) ? { method: 'GET' } : undefined),
    answer: (seen, { status, body }) => {
      const isCreated = seen.method === 'POST' && seen.url === '/api/v4/browsers' && status < 300;
      if (isCreated && isJsonObject(body) && isJsonObject(seen.body) && 'proxyCountryCode' in seen.body)
        lost.add(`/api/v4/browsers/${String(body['id'])}`);
      if (!isLost(seen)) return undefined;
      lost.delete(seen.url);
      return { status: 503, body: 'no answer from the service' };
    },
  };
}

/** Forms of answers that the contract leaves open. */
export const formChoices: readonly Choice[] = [
  {
    name: 'members of objects in another order',
    only: ['EVT-03', 'EVT-04', 'V4-RUN-28', 'V2-TASK-09', 'V3-HISTORY-03', 'V3-HISTORY-14'],
    tamper: otherOrder,
  },
  { name: 'titles that are written after the task', only: ['V3-SESSION-09', 'LIFE-12'], tamper: lateTitles },
  {
    name: 'unknown sessions that are refused as invalid',
    only: ['V3-GET-06'],
    promises: ['V3-GET-01'],
    tamper: unknownIsInvalid,
  },
  {
    name: 'addresses in texts that are signed for each answer',
    only: ['EVT-03', 'EVT-04', 'V4-RUN-28', 'V2-TASK-09', 'V3-HISTORY-03', 'V3-HISTORY-08', 'V3-HISTORY-14'],
    tamper: signedTexts,
  },
  { name: 'a service that is busy at first', only: ['GEN-01'], tamper: busyAtFirst },
  { name: 'a stop that a gateway loses', server: 'scripted', only: ['V4-BROWSER-18'], tamper: losesStops },
  { name: 'V4 sessions that nothing deletes', only: ['V4-RUN-28', 'V4-SES-11'], tamper: withoutDeletion },
];
