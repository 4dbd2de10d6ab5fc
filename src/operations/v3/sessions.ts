import type { Operation } from '../operation.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { RequestContext } from '../common/request-context.ts';
import { findSessionOr404 } from '../common/sessions.ts';
import { type SessionWithRecordings, renderDetail, renderListed, renderSession } from './render-session.ts';
import type { components } from '#generated/v3.ts';
import { isProblem } from '#contract/problems.ts';
import { readBody } from './check-body.ts';

/** Returns a session with its recordings: GET /sessions/{session_id} (contract section 4). */
export const getSession: Operation<RequestContext, SessionRow, SessionWithRecordings> = {
  decide: findSessionOr404,
  // A session without `enableRecording` has no recordings to read.
  apply: (session, { recordings }) =>
    session.enableRecording === 0 ? { session, recordings: [] } : withRecordings(session, recordings),
  render: (found, context) => ({ status: 200, body: renderDetail(found, context) }),
};

async function withRecordings(
  session: SessionRow,
  recordings: RequestContext['recordings'],
): Promise<SessionWithRecordings> {
  return { session, recordings: await recordings.ofCompletedRuns(session.id) };
}

interface Page {
  readonly page: number;
  readonly pageSize: number;
}

interface Found extends Page {
  readonly rows: SessionRow[];
  readonly total: number;
}

/** Lists the sessions of the project by page: GET /sessions (companion 6.1). */
export const listSessions: Operation<RequestContext, Page, Found> = {
  decide: ({ query }) => ({ page: Number(query['page']), pageSize: Number(query['page_size']) }),
  apply: async (page, { engine, scope }) => ({ ...page, ...(await engine.list(scope, page)) }),
  render: ({ rows, total, page, pageSize }, context) => ({
    status: 200,
    body: { sessions: rows.map((row) => renderListed(row, context)), total, page, pageSize },
  }),
};

interface Stop {
  readonly session: SessionRow;
  readonly strategy: components['schemas']['StopStrategy'];
}

/**
 * Stops a session or its task: POST /sessions/{session_id}/stop (contract section 4; path and strategies from companion
 * 6.1 and 6.6).
 */
export const stopSession: Operation<RequestContext, Stop, SessionRow> = {
  async decide(request, context) {
    const session = await findSessionOr404(request, context);
    if (isProblem(session)) return session;
    return { session, strategy: readBody(request, 'StopSession').strategy ?? 'session' };
  },
  apply: ({ session, strategy }, { engine }) => engine.stop(session, strategy),
  render: (session, context) => ({ status: 200, body: renderSession(session, context) }),
};
