import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunState, SessionStatus } from '#generated/states.ts';
import type { RunRow } from '../tables/runs.ts';
import type { Scope, SessionRow } from '../tables/sessions.ts';
import { containsText } from '../dialect.ts';
import type { Executor } from '../executor.ts';

/** Search for sessions of a project. */
export interface SessionSearch extends Scope {
  /** Text that the title, task or id must contain; '' for all sessions. */
  readonly search: string;
  /** States of which the latest run must have one; null for all sessions. */
  readonly runStates: readonly RunState[] | null;
  readonly limit: number;
}

/** A session with its latest run. Times are milliseconds since the epoch. */
export interface FoundSession {
  readonly id: string;
  readonly title: string | null;
  readonly status: SessionStatus;
  readonly createdAtMs: number;
  /** The latest run; null for a session without runs. */
  readonly run: FoundRun | null;
}

/** The latest run of a session that was found. */
export interface FoundRun {
  readonly task: string;
  readonly status: RunState;
  readonly reason: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** Number of the newest sessions that a search reads. A scan of a large project would block the event loop. */
const searchedSessions = 2000;
/** Number of characters of a task that a search reads. A task may have a million characters. */
const searchedCharacters = 1000;

/**
 * Returns the newest sessions that a search selects, each with its latest run. With a search text or a filter by state,
 * reads only the newest `searchedSessions` sessions, and only the first `searchedCharacters` characters of each task.
 */
export async function searchSessions(
  db: Executor,
  wanted: SessionSearch,
): Promise<{ readonly sessions: FoundSession[]; readonly hasMore: boolean }> {
  const { search, runStates, limit } = wanted;
  const isSelecting = search !== '' || runStates !== null;
  let selected = db
    .selectFrom(newest(db, wanted, isSelecting ? searchedSessions : limit + 1).as('sessions'))
    .leftJoin('runs', (join) => join.on('runs.id', '=', latestRunId))
    .select(['sessions.id', 'sessions.title', 'sessions.status', 'sessions.createdAt'])
    .select(['runs.task', 'runs.status as runStatus', 'runs.reason', 'runs.startedAt', 'runs.endedAt']);
  if (search !== '') selected = selected.where(matches(search));
  if (runStates !== null) selected = selected.where('runs.status', 'in', [...runStates]);
  // One row more than the limit shows whether further sessions match.
  const rows = await selected
    .orderBy('sessions.createdAt', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(limit + 1)
    .execute();
  return { sessions: rows.slice(0, limit).map(toFound), hasMore: rows.length > limit };
}

const latestRunId = sql<string>`(select latest.id from runs as latest where latest.session_id = sessions.id
  order by latest.created_at desc, latest.id desc limit 1)`;

function newest(db: Executor, { projectId, generation }: Scope, count: number) {
  return db
    .selectFrom('sessions')
    .select(['id', 'title', 'status', 'createdAt'])
    .where('projectId', '=', projectId)
    .where('generation', '=', generation)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(count);
}

/** Returns the condition that the title, the id or the beginning of the task contains a text. */
function matches(search: string): RawBuilder<SqlBool> {
  const [title, id] = [sql.ref('sessions.title'), sql.ref('sessions.id')];
  const task = sql`substr(runs.task, 1, ${sql.lit(searchedCharacters)})`;
  const [inTitle, inId, inTask] = [title, id, task].map((column) => containsText(column, search));
  return sql<SqlBool>`(${inTitle} or ${inId} or ${inTask})`;
}

type SearchedRow = Pick<SessionRow, 'id' | 'title' | 'status' | 'createdAt'> &
  Pick<RunRow, 'reason' | 'startedAt' | 'endedAt'> & {
    readonly task: string | null;
    readonly runStatus: RunState | null;
  };

function toFound({ id, title, status, createdAt: createdAtMs, ...rest }: SearchedRow): FoundSession {
  const { task, runStatus, reason, startedAt: startedAtMs, endedAt: endedAtMs } = rest;
  const run = task === null || runStatus === null ? null : { task, status: runStatus, reason, startedAtMs, endedAtMs };
  return { id, title, status, createdAtMs, run };
}
