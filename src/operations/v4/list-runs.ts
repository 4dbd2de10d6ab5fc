import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession, RunPlace } from '#store/runs.ts';
import { cursorOf, placeOf } from './cursor.ts';
import { renderRun } from './render-run.ts';
import { type WithFiles, runsWithFiles } from './with-files.ts';

interface Wanted {
  readonly limit: number;
  readonly behind: RunPlace | null;
  readonly sessionId: string | null;
}

interface Found {
  readonly rows: readonly WithFiles<RunOfSession>[];
  readonly hasMore: boolean;
}

/** GET /runs (companion 7.1): a keyset page, so that runs made meanwhile move nothing. */
export const listRuns: Operation<Caller, Wanted, Found> = {
  decide({ query }) {
    const { cursor, sessionId } = query;
    const behind = typeof cursor === 'string' ? placeOf(cursor) : null;
    if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
    return { limit: Number(query['limit']), behind, sessionId: typeof sessionId === 'string' ? sessionId : null };
  },
  async apply({ limit, behind, sessionId }, caller) {
    const { engine, scope } = caller;
    // One more than asked for tells whether there is a further page.
    const rows = await engine.runsBehind(scope, { filter: { sessionId }, behind, limit: limit + 1 });
    return { rows: await runsWithFiles(rows.slice(0, limit), caller), hasMore: rows.length > limit };
  },
  render({ rows, hasMore }, caller) {
    const last = rows.at(-1)?.run;
    const nextCursor = hasMore && last !== undefined ? cursorOf({ createdAt: last.created_at, id: last.id }) : null;
    return { status: 200, body: { runs: rows.map((row) => renderRun(row, caller)), nextCursor, hasMore } };
  },
};
