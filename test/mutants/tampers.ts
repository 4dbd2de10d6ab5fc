import { type JsonObject, isJsonObject } from '#domain/json.ts';
import type { Given, Seen, Tamper } from './mutant.ts';

type ChangeRecord = (record: JsonObject, seen: Seen) => JsonObject;

/** Changes every V3 session record in an answer, also those in lists. */
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

/** Changes the record that GET of one session answers. */
export function fetched(change: ChangeRecord): Tamper {
  const everywhere = records(change);
  return { answer: (seen, given) => (isFetch(seen) ? everywhere.answer?.(seen, given) : undefined) };
}

/** Gives a member of every record another value. */
export function member(name: string, value: (record: JsonObject) => JsonObject[string]): Tamper {
  return records((record) => ({ ...record, [name]: value(record) }));
}

/** Leaves a member of every record out. */
export function without(name: string): Tamper {
  return records(({ [name]: _left, ...record }) => record);
}

/** Changes the body of requests to a path of a generation; the body is an object. */
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

/** Changes answers of a status. */
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

/** Whether a request fetches one session. */
export function isFetch(seen: Seen): boolean {
  return seen.method === 'GET' && /^\/api\/v3\/sessions\/[0-9a-f-]{36}$/.test(seen.url);
}

/** An object without one member. */
export function omit(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function isRecord(value: unknown): value is JsonObject {
  return isJsonObject(value) && 'createdAt' in value && 'status' in value;
}
