import type { RequestSpec } from '../core/request.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonValue, memberAt, toText } from '../core/json.ts';
import { encodePart, pathWithId } from '../core/path-with-id.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { EventsTarget } from '../core/target.ts';

/** One read of the events of a run, over one or several pages. */
export interface EventRead {
  /** The last answer of the read. */
  exchange: Exchange;
  /**
   * `start`: the read began at the beginning of the list; `cursor`: the read began at the cursor of the previous read.
   */
  from: 'start' | 'cursor';
  /**
   * For a read from the start: the events of this read. Otherwise: the events of all reads from cursors so far. In the
   * order in which they were shown.
   */
  events: JsonValue[];
  /** True when every page was a success with a list. */
  served: boolean;
  /** True if the read stopped at the page limit, before the end of the list. The events of later pages are missing. */
  isCut: boolean;
}

/** One page of a list that was read in small parts. */
export interface EventPart {
  exchange: Exchange;
  events: JsonValue[];
}

/** Reads the events of one run. */
export interface EventReader {
  /** Every read so far, in chronological order. */
  reads: EventRead[];
  /** The first events of the list, read a few at a time; empty before `readParts`. */
  parts: EventPart[];
  /**
   * Continues where the last call of this function ended; the first call reads from the start. If the target names no
   * cursor, every call reads from the start.
   */
  readOn(): Promise<void>;
  /** Reads all events again. */
  readAll(): Promise<void>;
  /**
   * Reads all events of an ended run from the start, then continues as `readOn` does. An empty list is read again until
   * the settle deadline of the target, because events may appear after the end of the run.
   */
  readToEnd(): Promise<void>;
  /** Reads the first events again, a few at a time. */
  readParts(): Promise<void>;
}

/** Number of events that `readParts` requests at once, and maximum number of its requests. */
const [partSize, partsMax] = [3, 4];

/** Maximum number of pages of one read: an endless list must not block the suite. */
const pagesMax = 200;

/** A cursor, and the events that precede it. */
interface Position {
  cursor: JsonValue | undefined;
  events: JsonValue[];
}

const start: Position = { cursor: undefined, events: [] };

/** Creates a reader of the events of a run; undefined if the target names no operation for events. */
export function createEventReader(context: ScenarioContext, id: string): EventReader | undefined {
  const place = context.target.v4?.events ?? null;
  if (place === null) return undefined;
  const reads: EventRead[] = [];
  const parts: EventPart[] = [];
  let known = start;

  async function read(from: EventRead['from']): Promise<void> {
    if (place === null) return;
    const { reached, ...pages } = await readPages(context, { place, id, begin: from === 'cursor' ? known : start });
    reads.push({ ...pages, from });
    if (from === 'cursor' && place.cursor !== null) known = reached;
  }

  return {
    reads,
    parts,
    readParts: async () => void parts.push(...(await readSmall(context, place, id))),
    readOn: () => read('cursor'),
    readAll: () => read('start'),
    readToEnd: async () => {
      await read('start');
      const deadline = context.nowMs() + context.target.polling.settleDeadlineMs;
      const isEmpty = (): boolean => reads.at(-1)?.served === true && reads.at(-1)?.events.length === 0;
      while (isEmpty() && context.nowMs() < deadline) {
        await context.pause(context.target.polling.intervalMs);
        await read('start');
      }
      // The reads from cursors must together have shown the events of a complete read.
      await read('cursor');
    },
  };
}

interface PageInput {
  place: EventsTarget;
  id: string;
  begin: Position;
}

interface Pages extends Omit<EventRead, 'from'> {
  /** Position of the next read. */
  reached: Position;
}

async function readPages(context: ScenarioContext, { place, id, begin }: PageInput): Promise<Pages> {
  let reached = begin;
  for (let pages = 1; ; pages += 1) {
    const exchange = await context.send({
      generation: 'v4',
      operation: 'listRunEvents',
      ...pageAt(place, id, reached),
    });
    const items = memberAt(exchange.json, place.items);
    if (!succeeded(exchange) || !Array.isArray(items))
      return { exchange, events: reached.events, served: false, isCut: false, reached };
    const cursor = cursorAfter(place, exchange, items);
    const moved = cursor !== undefined && toText(cursor) !== toText(reached.cursor);
    const events = [...reached.events, ...items];
    // Without a cursor after the last page, the next read repeats this page.
    if (cursor !== undefined) reached = { cursor, events };
    const isLast = items.length === 0 || !moved;
    if (isLast || pages === pagesMax) return { exchange, events, served: true, isCut: !isLast, reached };
  }
}

/**
 * Reads the first parts of the list with a small limit. A target that does not know the query member `limit` returns
 * the whole list as one part.
 */
async function readSmall(context: ScenarioContext, place: EventsTarget, id: string): Promise<EventPart[]> {
  const parts: EventPart[] = [];
  let reached = start;
  while (parts.length < partsMax) {
    const { path, ...at } = pageAt(place, id, reached);
    const limited = `${path}${path.includes('?') ? '&' : '?'}limit=${partSize}`;
    const exchange = await context.send({ generation: 'v4', operation: 'listRunEvents', ...at, path: limited });
    const events = memberAt(exchange.json, place.items);
    if (!succeeded(exchange) || !Array.isArray(events) || events.length === 0) return parts;
    parts.push({ exchange, events });
    const cursor = cursorAfter(place, exchange, events);
    if (cursor === undefined || toText(cursor) === toText(reached.cursor)) return parts;
    reached = { cursor, events: [] };
  }
  return parts;
}

function pageAt(place: EventsTarget, id: string, { cursor }: Position): Pick<RequestSpec, 'method' | 'path' | 'body'> {
  const path = withCursor(pathWithId(place.path, id), place.cursor, cursor);
  return { method: place.method, path, ...(place.body === undefined ? {} : { body: place.body }) };
}

function withCursor(path: string, member: string | null, cursor: JsonValue | undefined): string {
  if (member === null || cursor === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(member)}=${encodePart(toText(cursor))}`;
}

/** Returns the cursor after a page; undefined without one. A null cursor means that no further event exists yet. */
function cursorAfter(place: EventsTarget, exchange: Exchange, items: readonly JsonValue[]): JsonValue | undefined {
  if (place.cursor === null) return undefined;
  const next = place.nextCursor === null ? lastId(place, items) : memberAt(exchange.json, place.nextCursor);
  return next === null ? undefined : next;
}

function lastId({ id }: EventsTarget, items: readonly JsonValue[]): JsonValue | undefined {
  return id === null ? undefined : memberAt(items.at(-1), id);
}
