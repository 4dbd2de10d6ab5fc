import type { Exchange } from '../harness/exchange.ts';
import type { Drive } from '../harness/scenario.ts';
import { followPages, nextCursorOf } from './followed-pages.ts';

/** Lists of V4 runs and sessions, read when a session with several runs stands still. */
export interface RunLists {
  /** Runs of the project, whatever else happens in it. */
  runs: Exchange;
  /** Runs of the session on one page. */
  ofSession: Exchange;
  /** Runs of the session, one on each page. */
  pages: Exchange[];
  /** Sessions of the project, two on each page, as far as some pages go. */
  sessionPages: Exchange[];
  /** Sessions of the project on one page. */
  sessions: Exchange;
  /** The session. */
  session: Exchange;
}

/** Pages of two sessions that are read at most. */
const sessionPagesMax = 10;

/** Reads the lists around a session. */
export async function readRunLists(drive: Drive, sessionId: string): Promise<RunLists> {
  const runs = (query: Record<string, string | number>): Promise<Exchange> =>
    drive.operations.call('v4.listRuns', { query });
  const sessions = (query: Record<string, string | number>): Promise<Exchange> =>
    drive.operations.call('v4.listSessions', { query });
  return {
    runs: await runs({ limit: 100 }),
    ofSession: await runs({ sessionId, limit: 100 }),
    pages: await followPages(
      (cursor: string | undefined) => runs({ sessionId, limit: 1, ...(cursor === undefined ? {} : { cursor }) }),
      nextCursorOf,
    ),
    sessionPages: await followPages(
      (cursor: string | undefined) => sessions({ limit: 2, ...(cursor === undefined ? {} : { cursor }) }),
      (page, pages) => (pages.length < sessionPagesMax ? nextCursorOf(page) : undefined),
    ),
    sessions: await sessions({ limit: 100 }),
    session: await drive.operations.call('v4.getSession', { path: [sessionId] }),
  };
}
