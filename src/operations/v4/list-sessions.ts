import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession, RunPlace } from '#store/runs.ts';
import { cursorOf, placeOf } from './cursor.ts';
import { renderSession } from './render-session.ts';

interface Wanted {
  readonly limit: number;
  readonly behind: RunPlace | null;
}

interface Found {
  readonly rows: readonly RunOfSession[];
  readonly hasMore: boolean;
}

/** GET /sessions (companion 7.1): a keyset page, so that sessions made meanwhile move nothing. */
export const listSessions: Operation<Caller, Wanted, Found> = {
  decide({ query }) {
    const { cursor } = query;
    const behind = typeof cursor === 'string' ? placeOf(cursor) : null;
    if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
    return { limit: Number(query['limit']), behind };
  },
  async apply({ limit, behind }, { engine, scope }) {
    // One more than asked for tells whether there is a further page.
    const sessions = await engine.sessionsBehind(scope, { behind, limit: limit + 1 });
    const rows = await Promise.all(sessions.slice(0, limit).map((session) => engine.latestRun(session)));
    return { rows, hasMore: sessions.length > limit };
  },
  render({ rows, hasMore }, caller) {
    const last = rows.at(-1)?.session;
    const nextCursor = hasMore && last !== undefined ? cursorOf({ createdAt: last.created_at, id: last.id }) : null;
    return { status: 200, body: { sessions: rows.map((row) => renderSession(row, caller)), nextCursor, hasMore } };
  },
};
