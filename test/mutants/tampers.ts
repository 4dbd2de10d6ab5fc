import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Seen, Tamper } from './mutant.ts';

type ChangeRecord = (record: JsonObject, seen: Seen) => JsonObject;

/** Changes every V3 session record in a response, also those in lists. */
export function records(change: ChangeRecord): Tamper {
  return {
    answer(seen, { body }) {
      if (!seen.url.startsWith('/api/v3/') || !isJsonObject(body)) return undefined;
      if (Array.isArray(body['sessions']))
        return {
          body: { ...body, sessions: body['sessions'].map((row) => (isRecord(row) ? change(row, seen) : row)) },
        };
      return isRecord(body) ? { body: change(body, seen) } : undefined;
    },
  };
}

/** Changes the record in the response to GET of one V3 session. */
export function fetched(change: ChangeRecord): Tamper {
  const everywhere = records(change);
  return { answer: (seen, given) => (isFetch(seen) ? everywhere.answer?.(seen, given) : undefined) };
}

/** Replaces the value of a member in every V3 session record. */
export function member(name: string, value: (record: JsonObject) => JsonObject[string]): Tamper {
  return records((record) => ({ ...record, [name]: value(record) }));
}

/** Removes a member from every V3 session record. */
export function without(name: string): Tamper {
  return records(({ [name]: _left, ...record }) => record);
}

/** Changes the body of POST requests to a path, if the body is an object. */
export function sent(path: string, change: (body: JsonObject) => JsonObject): Tamper {
  return {
    request(seen) {
      if (seen.method !== 'POST' || seen.url !== path || !isJsonObject(seen.body)) return undefined;
      return { body: change(seen.body) };
    },
  };
}

/** Changes V3 requests that create a session (not follow-ups). */
export function created(change: (body: JsonObject) => JsonObject): Tamper {
  return sent('/api/v3/sessions', (body) => (typeof body['sessionId'] === 'string' ? body : change(body)));
}

/** Changes V3 follow-up requests. */
export function followed(change: (body: JsonObject) => JsonObject): Tamper {
  return sent('/api/v3/sessions', (body) => (typeof body['sessionId'] === 'string' ? change(body) : body));
}

/**
 * Changes every V2 task or V4 run record in the responses to GET, stop and list requests. Does not change responses to
 * creations.
 */
export function jobs(version: 'v2' | 'v4', change: ChangeRecord): Tamper {
  const list = version === 'v2' ? 'items' : 'runs';
  return {
    answer(seen, { status, body }) {
      if (!isJobPath(seen, version) || status !== 200 || !isJsonObject(body) || 'eventsUrl' in body) return undefined;
      const rows = body[list];
      if (Array.isArray(rows))
        return { body: { ...body, [list]: rows.map((row) => (isJsonObject(row) ? change(row, seen) : row)) } };
      return 'status' in body ? { body: change(body, seen) } : undefined;
    },
  };
}

/** Changes the response to a successful V2 task or V4 run creation. */
export function jobCreated(path: '/api/v2/tasks' | '/api/v4/runs', change: (body: JsonObject) => JsonObject): Tamper {
  return {
    answer: (seen, { status, body }) =>
      seen.method === 'POST' && seen.url === path && status < 300 && isJsonObject(body)
        ? { body: change(body) }
        : undefined,
  };
}

/**
 * Answers successful creations with a refusal if their body meets a condition. The created resource exists
 * nevertheless.
 */
export function refuses(path: string, when: (body: JsonObject) => boolean, status = 422): Tamper {
  return {
    answer(seen, given) {
      const wanted = seen.method === 'POST' && seen.url === path && given.status < 300 && isJsonObject(seen.body);
      if (!wanted || !isJsonObject(seen.body) || !when(seen.body)) return undefined;
      const detail = [{ loc: ['body'], msg: 'Not today', type: 'value_error' }];
      return { status, body: { detail: status === 422 ? detail : 'Not today' } };
    },
  };
}

/** Changes each page of events in successful answers. */
export function eventPages(change: (events: JsonObject[], page: JsonObject, seen: Seen) => unknown): Tamper {
  return {
    answer(seen, { status, body }) {
      if (!isEventRead(seen) || status !== 200 || !isJsonObject(body) || !Array.isArray(body['events']))
        return undefined;
      return { body: change(body['events'].filter(isJsonObject), body, seen) };
    },
  };
}

/** Returns whether a request reads the events of a run. */
export function isEventRead(seen: Seen): boolean {
  return seen.method === 'GET' && /^\/api\/v4\/runs\/[0-9a-f-]{36}\/events(\?|$)/.test(seen.url);
}

/** Sends matching requests of another project with the owner's key, so that they succeed. */
export function leaks(owner: string, other: string, when: (seen: Seen) => boolean): Tamper {
  return {
    request: (seen) =>
      seen.headers['x-service-api-key'] === other && when(seen)
        ? { headers: { ...seen.headers, 'x-service-api-key': owner } }
        : undefined,
  };
}

function isJobPath({ url }: Seen, version: 'v2' | 'v4'): boolean {
  return url.startsWith(version === 'v2' ? '/api/v2/tasks' : '/api/v4/runs');
}

/** Changes responses with a given status. */
export function answers(status: number, change: (body: unknown, seen: Seen) => Partial<Given>): Tamper {
  return { answer: (seen, given) => (given.status === status ? change(given.body, seen) : undefined) };
}

/** Changes the elements of every 422 body. */
export function details(change: (detail: JsonObject) => unknown): Tamper {
  return answers(422, (body) =>
    isJsonObject(body) && Array.isArray(body['detail'])
      ? { body: { ...body, detail: body['detail'].map((detail) => (isJsonObject(detail) ? change(detail) : detail)) } }
      : {},
  );
}

/** Returns whether a request fetches one V3 session. */
export function isFetch(seen: Seen): boolean {
  return seen.method === 'GET' && /^\/api\/v3\/sessions\/[0-9a-f-]{36}(\?|$)/.test(seen.url);
}

/** Returns a copy of an object without one member. */
export function omit(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function isRecord(value: unknown): value is JsonObject {
  return isJsonObject(value) && 'createdAt' in value && 'status' in value;
}
