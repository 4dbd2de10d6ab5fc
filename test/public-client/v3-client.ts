import type { components } from '#generated/v3.ts';
import type { Connection } from './connection.ts';
import { type WaitOptions, WaitTimeout } from './wait-options.ts';

/** A session as V3 shows it. */
export type Session = components['schemas']['Session'];
/** A message of a session. */
export type Message = components['schemas']['Message'];
type MessageList = components['schemas']['MessageList'];
type CreateSession = components['schemas']['CreateSession'];

const intervalMs = 2000;
const recordingMs = 15_000;
const pageSize = 100;
const terminal: readonly string[] = ['idle', 'stopped', 'timed_out', 'error'];

/** Reads a session. */
export async function getSession(connection: Connection, id: string): Promise<Session> {
  return (await connection.request('GET', `/sessions/${id}`)) as Session;
}

/** Returns whether a session has a status at which clients stop waiting (companion C13). */
function isTerminal({ status }: Session): boolean {
  return terminal.includes(status);
}

/** Polls the session every 2 s for at most 4 hours (companion C13). Throws WaitTimeout after that time. */
export async function waitForSession(
  connection: Connection,
  id: string,
  { timeoutMs = 14_400_000 }: WaitOptions = {},
): Promise<Session> {
  const start = connection.time.elapsedMs();
  while (connection.time.elapsedMs() - start < timeoutMs) {
    const session = await getSession(connection, id);
    if (isTerminal(session)) return session;
    await connection.time.sleep(intervalMs);
  }
  throw new WaitTimeout(`session ${id}`);
}

/** Session in the answer to a dispatched task, and the message after which the messages of this task begin. */
export interface Dispatched {
  readonly session: Session;
  /** Id of the newest message before the task was dispatched; undefined in a new session. */
  readonly after: string | undefined;
}

/**
 * Sends a task in a new or an existing session. A task for an existing session has `keepAlive` true unless the body
 * contains this member. Its messages begin after the message that was the newest before the task (companion C15).
 */
export async function dispatch(connection: Connection, body: CreateSession): Promise<Dispatched> {
  const { sessionId } = body;
  if (sessionId === null || sessionId === undefined) {
    return { session: (await connection.request('POST', '/sessions', body)) as Session, after: undefined };
  }
  const newest = await fetchMessages(connection, sessionId, 'limit=1');
  const session = (await connection.request('POST', '/sessions', { keepAlive: true, ...body })) as Session;
  return { session, after: newest.at(-1)?.id };
}

/** Yields the messages after the cursor until the session is terminal, then the remaining messages (companion C14). */
export async function* streamMessages(connection: Connection, { session, after }: Dispatched): AsyncGenerator<Message> {
  let last = after;
  for (let ended = false; ; ) {
    const page = await fetchMessages(
      connection,
      session.id,
      `limit=${pageSize}${last === undefined ? '' : `&after=${last}`}`,
    );
    yield* page;
    last = page.at(-1)?.id ?? last;
    if (ended && page.length === 0) return;
    if (ended) continue;
    ended = isTerminal(await getSession(connection, session.id));
    if (!ended) await connection.time.sleep(intervalMs);
  }
}

async function fetchMessages(connection: Connection, id: string, query: string): Promise<readonly Message[]> {
  return ((await connection.request('GET', `/sessions/${id}/messages?${query}`)) as MessageList).messages;
}

/**
 * Polls the session every 2 s for at most 15 s until it has recordings; returns an empty list after that (companion
 * C16).
 */
export async function waitForRecordings(connection: Connection, id: string): Promise<readonly string[]> {
  const start = connection.time.elapsedMs();
  while (connection.time.elapsedMs() - start < recordingMs) {
    const { recordingUrls } = await getSession(connection, id);
    if (recordingUrls !== undefined && recordingUrls.length > 0) return recordingUrls;
    await connection.time.sleep(intervalMs);
  }
  return [];
}
