import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { ParsedRequest } from '#operations/operation.ts';

type Query = ParsedRequest['query'];

/**
 * Returns the page of a list that the query selects; the example holds the whole list. A page after the end is empty
 * and the last one.
 */
export function selectPage(body: JsonObject, query: Query): JsonObject | Problem {
  const [name, all] = Object.entries(body).find(([, value]) => Array.isArray(value)) ?? [];
  if (name === undefined || !Array.isArray(all)) return body;
  const items = all.filter((item) => isWanted(item, query));
  if ('limit' in query && 'after' in query && name === 'events') return eventPage(body, items, query);
  if (name === 'messages') return { ...body, ...messagePage(items, query) };
  if ('hasMore' in body && 'nextCursor' in body) {
    const page = cursorPage(items, query);
    return isProblem(page) ? page : { ...body, [name]: page.items, nextCursor: page.nextCursor, hasMore: page.hasMore };
  }
  return numberedPage(body, { name, items }, query);
}

/** Returns whether an item passes the filters of a list: status and session. */
function isWanted(item: JsonValue, { filterBy, sessionId }: Query): boolean {
  if (!isJsonObject(item)) return true;
  if (typeof filterBy === 'string' && item['status'] !== filterBy) return false;
  return typeof sessionId !== 'string' || item['sessionId'] === sessionId.toLowerCase();
}

function numberedPage(
  body: JsonObject,
  { name, items }: { readonly name: string; readonly items: readonly JsonValue[] },
  query: Query,
): JsonObject {
  const isSnake = 'page_size' in query;
  const number = query[isSnake ? 'page' : 'pageNumber'];
  const size = query[isSnake ? 'page_size' : 'pageSize'];
  if (typeof number !== 'number' || typeof size !== 'number') return { ...body, [name]: [...items] };
  const total = 'total' in body ? 'total' : 'totalItems';
  const shown = items.slice((number - 1) * size, number * size);
  return { ...body, [name]: shown, [total]: items.length, [isSnake ? 'page' : 'pageNumber']: number, pageSize: size };
}

const cursorForm = /^after-(\d{1,9})$/;

interface CursorPage {
  readonly items: JsonValue[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

function cursorPage(items: readonly JsonValue[], { cursor, limit }: Query): CursorPage | Problem {
  const found = typeof cursor === 'string' ? cursorForm.exec(cursor) : null;
  if (typeof cursor === 'string' && found === null) return problem('cursor_malformed', {});
  const from = Number(found?.[1] ?? 0);
  const to = from + (typeof limit === 'number' ? limit : items.length);
  const hasMore = to < items.length;
  return { items: items.slice(from, to), nextCursor: hasMore ? `after-${to}` : null, hasMore };
}

function eventPage(body: JsonObject, events: readonly JsonValue[], query: Query): JsonObject {
  const after = Number(query['after']);
  const left = events.filter((event) => isJsonObject(event) && Number(event['id']) > after);
  const shown = left.slice(0, Number(query['limit']));
  const last = shown.at(-1);
  const page = query['include_output'] === false ? shown.map(withoutResult) : shown;
  return {
    ...body,
    events: page,
    nextAfter: isJsonObject(last) ? (last['id'] ?? after) : after,
    hasMore: shown.length < left.length,
  };
}

function withoutResult(event: JsonValue): JsonValue {
  if (!isJsonObject(event) || !isJsonObject(event['data'])) return event;
  const { result: _left, ...data } = event['data'];
  return { ...event, data };
}

/** Returns the newest messages, or those next to the message that the query names. */
function messagePage(messages: readonly JsonValue[], { after, before, limit }: Query): JsonObject {
  const size = typeof limit === 'number' ? limit : messages.length;
  const place = (id: unknown): number => messages.findIndex((one) => isJsonObject(one) && one['id'] === id);
  if (typeof after === 'string') {
    const at = place(after.toLowerCase());
    const newer = at < 0 ? [] : messages.slice(at + 1);
    return { messages: newer.slice(0, size), hasMore: newer.length > size };
  }
  const older = typeof before === 'string' ? messages.slice(0, Math.max(0, place(before.toLowerCase()))) : messages;
  return { messages: older.slice(-size), hasMore: older.length > size };
}
