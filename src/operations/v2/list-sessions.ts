import { liveStates } from '#contract/lifecycle.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { SessionPage, SessionRow } from '#store/sessions.ts';
import { renderSession } from './render-session.ts';

interface Found extends SessionPage {
  readonly rows: SessionRow[];
  readonly total: number;
}

/** GET /sessions (companion 5.1), newest first. */
export const listSessions: Operation<Caller, SessionPage, Found> = {
  decide: ({ query }, caller) => ({
    page: Number(query['pageNumber']),
    pageSize: Number(query['pageSize']),
    only: onlyOf(query['filterBy'], caller),
  }),
  apply: async (page, { engine, scope }) => ({ ...page, ...(await engine.list(scope, page)) }),
  render: ({ rows, total, page, pageSize }, caller) => ({
    status: 200,
    body: {
      items: rows.map((row) => renderSession(row, caller)),
      totalItems: total,
      pageNumber: page,
      pageSize,
    },
  }),
};

/** V2 knows two words: what lives, and what has ended. */
function onlyOf(filterBy: unknown, { rules }: Caller): NonNullable<SessionPage['only']> | null {
  if (typeof filterBy !== 'string') return null;
  return { living: liveStates(rules.lifecycle, 'session'), areLiving: filterBy === 'active' };
}
