/*
 * The messages of a session: tasks, steps and final outputs as one append-only list. The list is a view of runs, steps
 * and events; nothing else is stored. Operations call this module, which must not know how an API version renders a
 * message.
 */

import { createHash } from 'node:crypto';
import { type JsonObject, parseStoredObject, storedAsText } from '#lib/json.ts';
import { messageEvents, type MessageWindow, type RunEventRow, runsById, stepsBehind } from '#store/queries/queue.ts';
import type { RunRow, StepRow } from '#store/tables/runs.ts';
import type { Executor } from '#store/executor.ts';

/** A message, independent of API versions. */
export interface Message {
  readonly id: string;
  readonly sessionId: string;
  /** Kind of the message (spec/rules/messages.yaml). */
  readonly event: 'task' | 'step' | 'session.complete';
  /** Content of the message before rendering: text or JSON. */
  readonly data: string;
  readonly summary: string;
  readonly screenshotKey: string | null;
  readonly createdAtMs: number;
}

/** A reader of the messages of sessions. */
export interface Messages {
  /** Returns a page of a session's messages, oldest first, and whether the requested direction has further messages. */
  page(sessionId: string, window: MessageWindow): Promise<{ messages: Message[]; hasMore: boolean }>;
}

/**
 * Types of events that become messages. The first event of each run becomes a message too; this message contains the
 * task.
 */
const types = ['step', 'session.complete'] as const;

/** Creates the reader, which derives messages from the runs, steps and events in the database. */
export function createMessages(db: Executor): Messages {
  return {
    async page(sessionId, { limit, ...place }) {
      // One row more than the limit shows whether another page follows.
      const found = await messageEvents(db, { sessionId, types }, { ...place, limit: limit + 1 });
      const events = place.after === null ? found.slice(-limit) : found.slice(0, limit);
      return { messages: await readMessages(db, events), hasMore: found.length > limit };
    },
  };
}

async function readMessages(db: Executor, events: readonly RunEventRow[]): Promise<Message[]> {
  const runs = await runsById(db, [...new Set(events.map((event) => event.runId))]);
  const steps = await stepsByEvent(db, events);
  return events.map((event) => {
    const head = { id: messageId(event.sessionId, event.id), sessionId: event.sessionId };
    return { ...head, ...messageContent(event, runs.get(event.runId), steps), createdAtMs: event.createdAt };
  });
}

async function stepsByEvent(db: Executor, events: readonly RunEventRow[]): Promise<ReadonlyMap<number, StepRow>> {
  const byRun = Map.groupBy(
    events.filter(({ type }) => type === 'step'),
    ({ runId }) => runId,
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

function messageContent(event: RunEventRow, run: RunRow | undefined, steps: ReadonlyMap<number, StepRow>): Content {
  if (run === undefined) throw new Error(`event ${event.id} belongs to a run that does not exist`);
  if (event.type === 'session.complete') return textContent('session.complete', runOutcome(event, run));
  if (event.type !== 'step') return textContent('task', run.task);
  const step = steps.get(event.id);
  if (step === undefined) throw new Error(`event ${event.id} tells a step that does not exist`);
  return { event: 'step', data: step.action, summary: step.summary, screenshotKey: step.screenshotKey };
}

function textContent(event: Content['event'], data: string): Content {
  return { event, data, summary: oneLine(data), screenshotKey: null };
}

/**
 * Returns the content of a final message: the output of the run as text or JSON. Without an output, returns the reason
 * in the event, or an empty text.
 */
function runOutcome(event: RunEventRow, run: RunRow): string {
  const output = storedAsText(run.output);
  if (output !== null) return output;
  const reason = parseObject(event.data)['reason'];
  return typeof reason === 'string' ? reason : '';
}

function parseObject(json: string): JsonObject {
  return parseStoredObject(json) ?? {};
}

const eventBytes = 6;

/**
 * Returns the message id of an event: a UUID of version 8 (RFC 9562) with the event id and a hash. The id is stable
 * without being stored, and can be converted back.
 */
export function messageId(sessionId: string, eventId: number): string {
  const bytes = createHash('sha256').update(`${sessionId}/${eventId}`).digest().subarray(0, 16);
  bytes.writeUIntBE(eventId, 0, eventBytes);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the event id of a message; null for an id that is invalid or belongs to another session. */
export function parseMessageEvent(sessionId: string, id: string): number | null {
  const eventId = Number.parseInt(id.replaceAll('-', '').slice(0, eventBytes * 2), 16);
  return Number.isNaN(eventId) || messageId(sessionId, eventId) !== id.toLowerCase() ? null : eventId;
}

const lengthMax = 200;

/** Returns a text as one line of at most 200 characters; a longer text is truncated and ends with an ellipsis. */
function oneLine(text: string): string {
  // Only the beginning is needed, and a text may be very long.
  const line = text
    .slice(0, lengthMax * 20)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
