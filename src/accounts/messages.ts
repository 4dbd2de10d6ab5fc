/*
 * What was said in a session: the tasks, the steps and the final outputs as one list that only grows. A view of what the engine
 * writes down anyway (runs, steps, events); nothing is stored for it. Called by the operations of a generation. Must not know
 * how a generation shows a message.
 */

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { Database } from '#store/database.ts';
import { messageEvents, type MessageWindow, type RunEventRow, runsById, stepsBehind } from '#store/queries/queue.ts';
import type { RunRow, StepRow } from '#store/schema.ts';

/** One message, version-blind. */
export interface Message {
  readonly id: string;
  readonly sessionId: string;
  /** A row of spec/rules/messages.yaml. */
  readonly event: 'task' | 'step' | 'session.complete';
  /** Raw content: text or JSON. */
  readonly data: string;
  readonly summary: string;
  readonly screenshotKey: string | null;
  readonly createdAtMs: number;
}

/** The messages of sessions. */
export interface Messages {
  /** A part of a session's messages, oldest first, and whether there are more in the direction that was read. */
  page(sessionId: string, window: MessageWindow): Promise<{ messages: Message[]; hasMore: boolean }>;
}

/** Kinds of events that are messages by themselves. */
const types = ['step', 'session.complete'] as const;

/** Messages as a view of the runs, steps and events in the database. */
export function createMessages(db: Database): Messages {
  return {
    async page(sessionId, { limit, ...place }) {
      // One more than asked for tells whether there is a further page.
      const found = await messageEvents(db, { sessionId, types }, { ...place, limit: limit + 1 });
      const events = place.after === null ? found.slice(-limit) : found.slice(0, limit);
      return { messages: await messagesOf(db, events), hasMore: found.length > limit };
    },
  };
}

async function messagesOf(db: Database, events: readonly RunEventRow[]): Promise<Message[]> {
  const runs = await runsById(db, [...new Set(events.map((event) => event.run_id))]);
  const steps = await stepsByEvent(db, events);
  return events.map((event) => {
    const head = { id: messageId(event.session_id, event.id), sessionId: event.session_id };
    return { ...head, ...contentOf(event, runs.get(event.run_id), steps), createdAtMs: event.created_at };
  });
}

async function stepsByEvent(db: Database, events: readonly RunEventRow[]): Promise<ReadonlyMap<number, StepRow>> {
  const byRun = Map.groupBy(
    events.filter(({ type }) => type === 'step'),
    ({ run_id }) => run_id,
  );
  const pairs = await Promise.all(
    Array.from(byRun.values(), async (ofRun) => {
      const steps = await stepsBehind(db, ofRun);
      return ofRun.flatMap((event, index): [number, StepRow][] => {
        const step = steps[index];
        return step === undefined ? [] : [[event.id, step]];
      });
    }),
  );
  return new Map(pairs.flat());
}

type Content = Pick<Message, 'event' | 'data' | 'summary' | 'screenshotKey'>;

function contentOf(event: RunEventRow, run: RunRow | undefined, steps: ReadonlyMap<number, StepRow>): Content {
  if (run === undefined) throw new Error(`event ${event.id} belongs to a run that does not exist`);
  if (event.type === 'session.complete') return textContent('session.complete', outcomeOf(event, run));
  if (event.type !== 'step') return textContent('task', run.task);
  const step = steps.get(event.id);
  if (step === undefined) throw new Error(`event ${event.id} tells a step that does not exist`);
  return { event: 'step', data: step.action, summary: step.summary, screenshotKey: step.screenshot_key };
}

function textContent(event: Content['event'], data: string): Content {
  return { event, data, summary: oneLine(data), screenshotKey: null };
}

/** Returns the output as text or JSON, otherwise the reason, otherwise an empty text. */
function outcomeOf(event: RunEventRow, run: RunRow): string {
  const output: JsonValue = run.output === null ? null : JSON.parse(run.output);
  if (output !== null) return typeof output === 'string' ? output : JSON.stringify(output);
  const reason = objectOf(event.data)['reason'];
  return typeof reason === 'string' ? reason : '';
}

function objectOf(json: string): JsonObject {
  const value: JsonValue = JSON.parse(json);
  return isJsonObject(value) ? value : {};
}

const eventBytes = 6;

/**
 * The identifier of the message that an event is: a uuid of version 8 (RFC 9562, custom) that begins with the event's id and
 * goes on with a hash of both, so that it never changes, need not be stored and leads back to the event.
 */
export function messageId(sessionId: string, eventId: number): string {
  const bytes = createHash('sha256').update(`${sessionId}/${eventId}`).digest().subarray(0, 16);
  bytes.writeUIntBE(eventId, 0, eventBytes);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the event id of a message, or null for an id of another session. */
export function eventOfMessage(sessionId: string, id: string): number | null {
  const eventId = Number.parseInt(id.replaceAll('-', '').slice(0, eventBytes * 2), 16);
  return Number.isNaN(eventId) || messageId(sessionId, eventId) !== id.toLowerCase() ? null : eventId;
}

const lengthMax = 200;

/** A text on one line of at most 200 characters; what does not fit is cut off and marked. */
function oneLine(text: string): string {
  // Only the beginning can matter, and a text may be very long.
  const line = text
    .slice(0, lengthMax * 20)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
