import { type ConsoleRun, type ConsoleSessionDetail, outcomeByState } from '#contract/console-messages.ts';
import type { Costs } from '#contract/money.ts';
import type { Database } from '#store/database.ts';
import type { RunOfSession, SessionRow } from '#store/schema.ts';
import { runsIn } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { listStepTimes } from '#store/queries/steps.ts';
import { runState } from '#generated/states.ts';

/** Dependencies of {@link readSession}. */
export interface SessionReading {
  readonly db: Database;
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
  return found.map(({ run }) => {
    const times = (steps.get(run.id) ?? []).map((timeMs) => new Date(timeMs).toISOString());
    return {
      id: run.id,
      outcome: outcomeByState[run.status],
      reason: run.status === runState.failed ? run.reason : null,
      answeredBy: run.answered_by,
      startedAt: isoTime(run.started_at),
      endedAt: isoTime(run.ended_at),
      stepsEndedAt: times,
      ...costsOfRun(engine.runCosts({ run, session })),
    };
  });
}

function costsOfRun({ llm, browser, proxy }: Costs): Pick<ConsoleRun, 'llmMicros' | 'browserMicros' | 'proxyMicros'> {
  return { llmMicros: llm, browserMicros: browser, proxyMicros: proxy };
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
