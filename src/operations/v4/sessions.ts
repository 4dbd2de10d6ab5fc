import { problem, isProblem, type Problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { RunPlace } from '#store/queries/runs.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { readBody, encodeCursor, decodeCursor } from './body.ts';
import { renderSession } from './render.ts';
import { findSessionOr404, deleteSession as deleteLiving } from '../common/sessions.ts';

interface Wanted {
  readonly limit: number;
  readonly behind: RunPlace | null;
}

interface Found {
  readonly rows: readonly RunOfSession[];
  readonly hasMore: boolean;
}

/**
 * Lists the sessions of the project: GET /sessions (companion 7.1). Pages use a keyset cursor, so that new sessions do
 * not shift later pages.
 */
export const listSessions: Operation<RequestContext, Wanted, Found> = {
  decide({ query }) {
    const { cursor } = query;
    const behind = typeof cursor === 'string' ? decodeCursor(cursor) : null;
    if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
    return { limit: Number(query['limit']), behind };
  },
  async apply({ limit, behind }, { engine, scope }) {
    // One row more than the limit shows whether another page follows.
    const sessions = await engine.sessionsBehind(scope, { behind, limit: limit + 1 });
    const rows = await Promise.all(sessions.slice(0, limit).map((session) => engine.latestRun(session)));
    return { rows, hasMore: sessions.length > limit };
  },
  render({ rows, hasMore }, context) {
    const last = rows.at(-1)?.session;
    const nextCursor = hasMore && last !== undefined ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null;
    return { status: 200, body: { sessions: rows.map((row) => renderSession(row, context)), nextCursor, hasMore } };
  },
};

/** Returns a session with its latest run: GET /sessions/{session_id} (companion 7.1). */
export const getSession: Operation<RequestContext, SessionRow, RunOfSession> = {
  decide: findSessionOr404,
  apply: (session, { engine }) => engine.latestRun(session),
  render: (found, context) => ({ status: 200, body: renderSession(found, context) }),
};

interface Rename {
  readonly session: SessionRow;
  readonly title: string | null;
}

/** Changes the title of a session, its only mutable member: PATCH /sessions/{session_id} (companion 7.1). */
export const updateSession: Operation<RequestContext, Rename, RunOfSession> = {
  async decide(request, context) {
    const session = await findSessionOr404(request, context);
    return isProblem(session) ? session : { session, title: readBody(request, 'UpdateSession').title };
  },
  apply: async ({ session, title }, { engine }) => engine.latestRun(await engine.rename(session, title)),
  render: (found, context) => ({ status: 200, body: renderSession(found, context) }),
};

/**
 * Deletes a session: DELETE /sessions/{session_id} of V4 (companion 7.1). The response is the same for a session that
 * was deleted before, for which `decide` returns null.
 */
export const deleteSession: Operation<RequestContext, SessionRow | null, null> = {
  async decide(request, context): Promise<SessionRow | null | Problem> {
    const living = await deleteLiving.decide(request, context);
    if (!isProblem(living)) return living;
    const wasDeleted = await context.engine.wasDeleted(context.scope, request.path['session_id'] ?? '');
    return wasDeleted ? null : living;
  },
  apply: async (session, context) => (session === null ? null : deleteLiving.apply(session, context)),
  render: (result, context) => deleteLiving.render(result, context),
};
