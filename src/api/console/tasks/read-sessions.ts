import {
  type ConsoleOutcome,
  type ConsoleSession,
  type ConsoleSessions,
  outcomeByState,
} from '#contract/console-messages.ts';
import { isTerminal, runStates, shownSessionStatus, shownStatus } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { titleOf } from '#agent/title.ts';
import type { Database } from '#store/database.ts';
import { type FoundSession, searchSessions } from '#store/queries/search-sessions.ts';
import type { Scope } from '#store/schema.ts';

/** Selects sessions of a project for the console. */
export interface SessionQuery extends Scope {
  /** Part of a title, task or id; '' for all. */
  readonly search: string;
  /** Outcome of the latest task; null for all sessions. */
  readonly outcome: ConsoleOutcome | null;
  readonly limit: number;
}

/**
 * Returns the newest sessions that a query selects, each with the state of its latest task. Bounds are those of
 * `searchSessions`.
 */
export async function readSessions(
  { db, rules }: { readonly db: Database; readonly rules: RuleBook },
  { outcome, ...wanted }: SessionQuery,
): Promise<ConsoleSessions> {
  const wantedStates = outcome === null ? null : runStates.filter((state) => outcomeByState[state] === outcome);
  const { sessions, hasMore } = await searchSessions(db, { ...wanted, runStates: wantedStates });
  return { sessions: sessions.map((found) => shownSession(rules, wanted.generation, found)), hasMore };
}

function shownSession(rules: RuleBook, generation: Scope['generation'], found: FoundSession): ConsoleSession {
  const { id, title, run } = found;
  const outcome = run === null ? null : outcomeByState[run.status];
  const iso = (timeMs: number | null): string | null => (timeMs === null ? null : new Date(timeMs).toISOString());
  return {
    id,
    name: title ?? (run === null ? null : titleOf(run.task)),
    status: versionStatus(rules, generation, found),
    outcome,
    reason: outcome === 'missed' && run !== null ? run.reason : null,
    createdAt: new Date(found.createdAtMs).toISOString(),
    startedAt: iso(run?.startedAtMs ?? null),
    endedAt: iso(run?.endedAtMs ?? null),
  };
}

/**
 * Returns the status as the API version names it: for V3 that of the session, for V2 and V4 that of the latest task.
 */
function versionStatus(rules: RuleBook, generation: Scope['generation'], { status, run }: FoundSession): string {
  if (generation === 'v3') return status;
  if (run !== null) return shownStatus(rules, generation, run.status);
  return isTerminal(rules.lifecycle, status) ? shownSessionStatus.stopped : shownSessionStatus.active;
}
