import type { ConsoleRun, ConsoleSessionDetail } from '#contract/console-messages.ts';
import type { Costs } from '#contract/money.ts';
import type { Database } from '#store/database.ts';
import type { RunOfSession, SessionRow } from '#store/schema.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { outcomes } from './run-outcome.ts';

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
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where('session_id', '=', session.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const steps = await stepTimes(db, session.id);
  return rows.map((run) => {
    const times = steps.get(run.id) ?? [];
    return {
      id: run.id,
      outcome: outcomes[run.status],
      reason: run.status === 'failed' ? run.reason : null,
      answeredBy: run.answered_by,
      startedAt: timeOf(run.started_at),
      endedAt: timeOf(run.ended_at),
      stepsEndedAt: times,
      ...costsOfRun(engine.runCosts({ run, session })),
    };
  });
}

function costsOfRun({ llm, browser, proxy }: Costs): Pick<ConsoleRun, 'llmMicros' | 'browserMicros' | 'proxyMicros'> {
  return { llmMicros: llm, browserMicros: browser, proxyMicros: proxy };
}

/** Returns the end times of the steps of each run. A step is written when it ends. */
async function stepTimes(db: Database, sessionId: string): Promise<ReadonlyMap<string, string[]>> {
  const steps = await db
    .selectFrom('steps')
    .innerJoin('runs', 'runs.id', 'steps.run_id')
    .select(['runs.id as run_id', 'steps.created_at'])
    .where('runs.session_id', '=', sessionId)
    .orderBy('steps.id')
    .execute();
  const times = new Map<string, string[]>();
  for (const { run_id: runId, created_at: at } of steps)
    times.set(runId, [...(times.get(runId) ?? []), new Date(at).toISOString()]);
  return times;
}

function timeOf(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
