import type { components } from '#generated/v4.ts';
import type { Connection } from './connection.ts';
import { type WaitOptions, WaitTimeout } from './wait-options.ts';

/** A run as V4 shows it. */
export type Run = components['schemas']['Run'];
/** Event of a run. */
export type RunEvent = components['schemas']['RunEvent'];
type RunState = components['schemas']['RunState'];
type RunEventList = components['schemas']['RunEventList'];

const statusMs = 2000;
const eventMs = 1000;
const pageSize = 100;
const terminal: readonly string[] = ['completed', 'failed', 'cancelled'];
const ends: readonly string[] = ['run.completed', 'run.failed', 'run.cancelled', 'run.dispatch_failed'];

/**
 * Polls the status every 2 s for at most 4 hours, then fetches the run once (companion C17). Throws WaitTimeout after
 * that time.
 */
export async function waitForRun(
  connection: Connection,
  id: string,
  { timeoutMs = 14_400_000 }: WaitOptions = {},
): Promise<Run> {
  const start = connection.time.elapsedMs();
  while (connection.time.elapsedMs() - start < timeoutMs) {
    const { status } = (await connection.request('GET', `/runs/${id}/status`)) as RunState;
    if (terminal.includes(status)) return (await connection.request('GET', `/runs/${id}`)) as Run;
    await connection.time.sleep(statusMs);
  }
  throw new WaitTimeout(`run ${id}`);
}

/** Thrown when the run ended before the expected event occurred. */
export class RunEnded extends Error {}

/**
 * Reads the events every 1 s until an event of a type occurs (companion C18). Throws RunEnded if the run ends before
 * such an event, and WaitTimeout after 5 minutes.
 */
export async function waitForEvent(connection: Connection, id: string, type: string): Promise<RunEvent> {
  const start = connection.time.elapsedMs();
  for (let after = 0; connection.time.elapsedMs() - start < 300_000; ) {
    const path = `/runs/${id}/events?after=${after}&limit=${pageSize}`;
    const { events, nextAfter } = (await connection.request('GET', path)) as RunEventList;
    const found = events.find((event) => event.type === type);
    if (found !== undefined) return found;
    const end = events.find((event) => ends.includes(event.type));
    if (end !== undefined) throw new RunEnded(end.type);
    after = nextAfter ?? after;
    await connection.time.sleep(eventMs);
  }
  throw new WaitTimeout(`event ${type}`);
}
