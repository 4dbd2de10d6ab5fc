import {
  type ConsoleOutcome,
  type ConsoleSession,
  type ConsoleSessions,
  outcomeByState,
  type ConsoleRun,
  type ConsoleSessionDetail,
} from '#contract/console-messages.ts';
import { isTerminal, runStates, shownSessionStatus, shownStatus } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { getTitle } from '#agent/title.ts';
import { type FoundSession, searchSessions } from '#store/queries/search-sessions.ts';
import type { Scope, SessionRow } from '#store/tables/sessions.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { Costs } from '#contract/money.ts';
import { runsIn } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { listStepTimes } from '#store/queries/steps.ts';
import { runState } from '#generated/states.ts';
import type { Executor } from '#store/executor.ts';

/** A query for sessions of a project. */
export interface SessionQuery extends Scope {
  /** Text that the title, task or id must contain; '' for all sessions. */
  readonly search: string;
  /** Outcome that the latest task must have; null for all sessions. */
  readonly outcome: ConsoleOutcome | null;
  readonly limit: number;
}

/**
 * Returns the newest sessions that match the query, each with the state of its latest task. A search or filter
 * considers only the newest sessions (see `searchSessions`).
 */
export async function readSessions(
  { db, rules }: { readonly db: Executor; readonly rules: RuleBook },
  { outcome, ...wanted }: SessionQuery,
): Promise<ConsoleSessions> {
  const wantedStates = outcome === null ? null : runStates.filter((state) => outcomeByState[state] === outcome);
  const { sessions, hasMore } = await searchSessions(db, { ...wanted, runStates: wantedStates });
  return { sessions: sessions.map((found) => shownSession(rules, wanted.generation, found)), hasMore };
}

function shownSession(rules: RuleBook, generation: Scope['generation'], found: FoundSession): ConsoleSession {
  const { id, title, run } = found;
  const outcome = run === null ? null : outcomeByState[run.status];
  return {
    id,
    name: title ?? (run === null ? null : getTitle(run.task)),
    status: versionStatus(rules, generation, found),
    outcome,
    reason: outcome === 'missed' && run !== null ? run.reason : null,
    createdAt: new Date(found.createdAtMs).toISOString(),
    startedAt: isoTime(run?.startedAtMs ?? null),
    endedAt: isoTime(run?.endedAtMs ?? null),
  };
}

/**
 * Returns the status as the API version names it: for V3 the status of the session, otherwise the status of the latest
 * task. Returns `active` or `stopped` for a V2 or V4 session without a task.
 */
function versionStatus(rules: RuleBook, generation: Scope['generation'], { status, run }: FoundSession): string {
  if (generation === 'v3') return status;
  if (run !== null) return shownStatus(rules, generation, run.status);
  return isTerminal(rules.lifecycle, status) ? shownSessionStatus.stopped : shownSessionStatus.active;
}

/** Dependencies of {@link readSession}. */
export interface SessionReading {
  readonly db: Executor;
  readonly engine: { costs(session: SessionRow): Costs; runCosts(found: RunOfSession): Costs };
}

/** Returns the cost of a session, and its runs with outcomes, times, costs and workers. */
export async function readSession(reading: SessionReading, sessionId: string): Promise<ConsoleSessionDetail> {
  const session = await sessionById(reading.db, sessionId);
  return { runs: await readRuns(reading, session), totalMicros: reading.engine.costs(session).total };
}

async function readRuns({ db, engine }: SessionReading, session: SessionRow): Promise<ConsoleRun[]> {
  const found = await runsIn(db, session);
  const steps = await listStepTimes(db, session.id);
  return found.map(({ run }) => ({
    id: run.id,
    outcome: outcomeByState[run.status],
    reason: run.status === runState.failed ? run.reason : null,
    answeredBy: run.answeredBy,
    startedAt: isoTime(run.startedAt),
    endedAt: isoTime(run.endedAt),
    stepsEndedAt: (steps.get(run.id) ?? []).map((timeMs) => new Date(timeMs).toISOString()),
    ...toRunCosts(engine.runCosts({ run, session })),
  }));
}

function toRunCosts({ llm, browser, proxy }: Costs): Pick<ConsoleRun, 'llmMicros' | 'browserMicros' | 'proxyMicros'> {
  return { llmMicros: llm, browserMicros: browser, proxyMicros: proxy };
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
