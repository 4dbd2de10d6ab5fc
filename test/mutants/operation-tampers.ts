import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Seen, Tamper } from './mutant.ts';

/** Selects requests of one operation: method, path without query, and a condition. */
export interface At {
  readonly method: string;
  /** Path below the host; `*` stands for one path segment, such as an id. */
  readonly path: string;
  readonly when?: (seen: Seen) => boolean;
}

/** Returns a selector of the requests with this method and path that meet the condition. */
export function at(method: string, path: string, when?: (seen: Seen) => boolean): At {
  return { method, path, ...(when === undefined ? {} : { when }) };
}

/** Returns whether a request is selected. */
export function isAt({ method, path, when }: At, seen: Seen): boolean {
  const pattern = new RegExp(`^${path.replaceAll('*', '[^/?]+')}(\\?|$)`);
  return seen.method === method && pattern.test(seen.url) && (when?.(seen) ?? true);
}

/** Changes the body of successful responses. */
export function told(place: At, change: (body: JsonObject, seen: Seen) => JsonObject): Tamper {
  return {
    answer: (seen, { status, body }) =>
      isAt(place, seen) && status < 300 && isJsonObject(body) ? { body: change(body, seen) } : undefined,
  };
}

/** Returns a tamper that changes the objects of one list in successful responses. */
export function rows(place: At, member: string, change: (items: JsonObject[], seen: Seen) => JsonObject[]): Tamper {
  return told(place, (body, seen) => {
    const items = body[member];
    return Array.isArray(items) ? { ...body, [member]: change(items.filter(isJsonObject), seen) } : body;
  });
}

/** Returns a tamper that sets members of successful responses to fixed values. */
export function says(place: At, members: JsonObject): Tamper {
  return told(place, (body) => ({ ...body, ...members }));
}

/** Replaces every response that has the status `from` by another response. */
export function turns(place: At, from: number, given: Partial<Given>): Tamper {
  return { answer: (seen, { status }) => (isAt(place, seen) && status === from ? given : undefined) };
}

/** Changes selected requests. */
export function asks(place: At, change: (seen: Seen) => Partial<Seen>): Tamper {
  return { request: (seen) => (isAt(place, seen) ? change(seen) : undefined) };
}

/** Returns a tamper that changes members of request bodies. A member whose new value is undefined is removed. */
export function wants(place: At, change: (body: JsonObject) => Record<string, JsonObject[string] | undefined>): Tamper {
  return asks(place, ({ body }) => {
    if (!isJsonObject(body)) return {};
    const changed = Object.entries({ ...body, ...change(body) }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return { body: Object.fromEntries(changed) };
  });
}

/**
 * Changes the value of a query parameter in requests that have this parameter. If `change` returns undefined, removes
 * the parameter.
 */
export function queries(place: At, member: string, change: (value: string) => string | undefined): Tamper {
  return asks(place, ({ url }) => {
    const [path = '', query = ''] = url.split('?');
    const search = new URLSearchParams(query);
    const value = search.get(member);
    if (value === null) return {};
    const next = change(value);
    if (next === undefined) search.delete(member);
    else search.set(member, next);
    return { url: search.size === 0 ? path : `${path}?${search.toString()}` };
  });
}

/**
 * Prevents the effect of requests: the server receives a GET of the same URL instead. The client receives the response
 * `given`.
 */
export function does(place: At, given: Partial<Given>): Tamper {
  return {
    request: (seen) => (isAt(place, seen) ? { method: 'GET', body: '' } : undefined),
    answer: (seen) => (isAt(place, seen) ? given : undefined),
  };
}

/**
 * Combines two tampers. Requests and answers are changed by the first tamper and then by the second. All other members
 * of the two tampers have no effect.
 */
export function both(one: Tamper, other: Tamper): Tamper {
  return {
    request: (seen) => {
      const first = one.request?.(seen);
      const second = other.request?.({ ...seen, ...first });
      return first === undefined && second === undefined ? undefined : { ...first, ...second };
    },
    answer: (seen, given) => {
      const first = one.answer?.(seen, given);
      const second = other.answer?.(seen, { ...given, ...first });
      return first === undefined && second === undefined ? undefined : { ...first, ...second };
    },
  };
}

/** Returns the body of a request; an empty object if the body is no object. */
export function readBody({ body }: Seen): JsonObject {
  return isJsonObject(body) ? body : {};
}
