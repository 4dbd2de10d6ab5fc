import type { Operation } from '../operation.ts';
import type { SessionRow } from '#store/sessions.ts';
import type { Caller } from '../common/caller.ts';
import { renderListed } from './render-session.ts';

interface Page {
  readonly page: number;
  readonly pageSize: number;
}

interface Found extends Page {
  readonly rows: SessionRow[];
  readonly total: number;
}

/** GET /sessions (companion 6.1). */
export const listSessions: Operation<Caller, Page, Found> = {
  decide: ({ query }) => ({ page: Number(query['page']), pageSize: Number(query['page_size']) }),
  apply: async (page, { engine, scope }) => ({ ...page, ...(await engine.list(scope, page)) }),
  render: ({ rows, total, page, pageSize }, caller) => ({
    status: 200,
    body: { sessions: rows.map((row) => renderListed(row, caller)), total, page, pageSize },
  }),
};
