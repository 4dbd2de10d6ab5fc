import { endStates, liveStates } from '#domain/lifecycle.ts';
import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { SessionPage, SessionRow } from '../storage/sessions.ts';
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
    statuses: statusesOf(query['filterBy'], caller),
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

/** The states of the engine that V2 shows with one word; null for all. */
function statusesOf(filterBy: unknown, { rules }: Caller): readonly string[] | null {
  if (typeof filterBy !== 'string') return null;
  return filterBy === 'active' ? liveStates(rules.lifecycle, 'session') : endStates(rules.lifecycle, 'session');
}
