import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ConsoleOutcome, ConsoleSession, ConsoleSessions } from '#contract/console-messages.ts';
import { endStates, type RunState, shownStatus } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { titleOf } from '#agent/title.ts';
import type { Database } from '#store/database.ts';
import type { SessionTable } from '#store/schema.ts';
import { outcomes, statesWith } from './run-outcome.ts';

/** Selection of a project's sessions. */
export interface SessionQuery {
  readonly projectId: string;
  readonly generation: SessionTable['generation'];
  /** Part of a title, task or id; '' for all sessions. */
  readonly search: string;
  /** Outcome of the latest task; null for all sessions. */
  readonly outcome: ConsoleOutcome | null;
  readonly limit: number;
}

/**
 * Maximum number of sessions that a search scans, newest first. A scan of a large project would block the event loop.
 */
const searchedSessions = 2000;
/** Maximum number of characters of a task that a search scans. A task may have a million characters. */
const searchedCharacters = 1000;

/**
 * Returns the newest sessions that a query selects, each with the state of its latest task. A search or filter scans
 * the newest 2,000 sessions only; a search scans the first 1,000 characters of their latest tasks.
 */
export async function readSessions(
  { db, rules }: { readonly db: Database; readonly rules: RuleBook },
  query: SessionQuery,
): Promise<ConsoleSessions> {
  const { generation, search, outcome, limit } = query;
  const isSelecting = search !== '' || outcome !== null;
  let selected = db
    .selectFrom(newest(db, query, isSelecting ? searchedSessions : limit + 1).as('sessions'))
    .leftJoin('runs', (join) => join.on('runs.id', '=', latestRun))
    .select(['sessions.id', 'sessions.title', 'sessions.status', 'sessions.created_at'])
    .select(['runs.task', 'runs.status as run_status', 'runs.reason', 'runs.started_at', 'runs.ended_at']);
  if (search !== '') selected = selected.where(matches(search));
  if (outcome !== null) selected = selected.where('runs.status', 'in', statesWith(outcome));
  // One row more than the limit shows whether another page follows.
  const rows = await selected
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(limit + 1)
    .execute();
  return {
    sessions: rows.slice(0, limit).map((row) => shownSession(rules, generation, row)),
    hasMore: rows.length > limit,
  };
}

const latestRun = sql<string>`(select latest.id from runs as latest where latest.session_id = sessions.id
  order by latest.created_at desc, latest.id desc limit 1)`;

/** Selects the newest `count` sessions. */
function newest(db: Database, { projectId, generation }: SessionQuery, count: number) {
  return db
    .selectFrom('sessions')
    .select(['id', 'title', 'status', 'created_at'])
    .where('project_id', '=', projectId)
    .where('generation', '=', generation)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(count);
}

/** Returns a case-insensitive LIKE condition with escaped wildcards. */
function matches(search: string): RawBuilder<SqlBool> {
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`(lower(sessions.title) like ${pattern} escape '\\' or lower(sessions.id) like ${pattern} escape '\\'
    or lower(substr(runs.task, 1, ${sql.lit(searchedCharacters)})) like ${pattern} escape '\\')`;
}

interface ReadSession {
  readonly id: string;
  readonly title: string | null;
  readonly status: string;
  readonly created_at: number;
  readonly task: string | null;
  readonly run_status: RunState | null;
  readonly reason: string | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

function shownSession(rules: RuleBook, generation: SessionQuery['generation'], row: ReadSession): ConsoleSession {
  const outcome = row.run_status === null ? null : outcomes[row.run_status];
  const iso = (timeMs: number | null): string | null => (timeMs === null ? null : new Date(timeMs).toISOString());
  return {
    id: row.id,
    name: row.title ?? (row.task === null ? null : titleOf(row.task)),
    status: statusOf(rules, generation, row),
    outcome,
    reason: outcome === 'missed' ? row.reason : null,
    createdAt: new Date(row.created_at).toISOString(),
    startedAt: iso(row.started_at),
    endedAt: iso(row.ended_at),
  };
}

/**
 * Returns the status as the API version names it: for V3 that of the session, for V2 and V4 that of the latest task.
 */
function statusOf(rules: RuleBook, generation: SessionQuery['generation'], row: ReadSession): string {
  if (generation === 'v3') return row.status;
  if (row.run_status !== null) return shownStatus(rules, generation, row.run_status);
  return endStates(rules.lifecycle, 'session').includes(row.status) ? 'stopped' : 'active';
}
