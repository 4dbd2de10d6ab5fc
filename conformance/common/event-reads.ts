import type { RequestSpec } from '../core/request.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonValue, memberAt, textOf } from '../core/json.ts';
import { encodePart, pathWithId } from '../core/path-with-id.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { EventsTarget } from '../core/target.ts';

/** Everything that was known of a run's events after one read. */
export interface EventRead {
  /** The last answer of the read. */
  exchange: Exchange;
  /** From the start of the list, or on from the cursor of the read before. */
  from: 'start' | 'cursor';
  /** All events known then, in the order in which they were shown. */
  events: JsonValue[];
  /** True when every page was a success with a list. */
  served: boolean;
  /** There were more pages than one read takes: events behind them are not among those known. */
  isCut: boolean;
}

/** Reads the events of one run. */
export interface EventReader {
  /** Every read so far, in order of time. */
  reads: EventRead[];
  /** Reads on behind what is known; from the start where the target names no cursor. */
  readOn(): Promise<void>;
  /** Reads everything again. */
  readAll(): Promise<void>;
}

/** Maximum number of pages of one read: a list without an end must not block the suite. */
const pagesMax = 200;

/** A cursor and everything that lies before it. */
interface Position {
  cursor: JsonValue | undefined;
  events: JsonValue[];
}

const start: Position = { cursor: undefined, events: [] };

/** A reader of the events of a run; undefined where the target names no operation for it. */
export function createEventReader(context: ScenarioContext, id: string): EventReader | undefined {
  const place = context.target.v4?.events ?? null;
  if (place === null) return undefined;
  const reads: EventRead[] = [];
  let known = start;

  async function read(from: EventRead['from']): Promise<void> {
    if (place === null) return;
    const { reached, ...pages } = await readPages(context, { place, id, begin: from === 'cursor' ? known : start });
    reads.push({ ...pages, from });
    if (from === 'cursor' && place.cursor !== null) known = reached;
  }

  return {
    reads,
    readOn: () => read('cursor'),
    readAll: () => read('start'),
  };
}

interface PageInput {
  place: EventsTarget;
  id: string;
  begin: Position;
}

interface Pages extends Omit<EventRead, 'from'> {
  /** Where the next read goes on. */
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
    const moved = cursor !== undefined && textOf(cursor) !== textOf(reached.cursor);
    const events = [...reached.events, ...items];
    // Without a cursor behind the last page the next read has to begin where this page began, and shows it again.
    if (cursor !== undefined) reached = { cursor, events };
    const isLast = items.length === 0 || !moved;
    if (isLast || pages === pagesMax) return { exchange, events, served: true, isCut: !isLast, reached };
  }
}

function pageAt(place: EventsTarget, id: string, { cursor }: Position): Pick<RequestSpec, 'method' | 'path' | 'body'> {
  const path = withCursor(pathWithId(place.path, id), place.cursor, cursor);
  return { method: place.method, path, ...(place.body === undefined ? {} : { body: place.body }) };
}

function withCursor(path: string, member: string | null, cursor: JsonValue | undefined): string {
  if (member === null || cursor === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(member)}=${encodePart(textOf(cursor))}`;
}

// Null says that nothing follows now.
function cursorAfter(place: EventsTarget, exchange: Exchange, items: readonly JsonValue[]): JsonValue | undefined {
  if (place.cursor === null) return undefined;
  const next = place.nextCursor === null ? lastId(place, items) : memberAt(exchange.json, place.nextCursor);
  return next === null ? undefined : next;
}

function lastId({ id }: EventsTarget, items: readonly JsonValue[]): JsonValue | undefined {
  return id === null ? undefined : memberAt(items.at(-1), id);
}
