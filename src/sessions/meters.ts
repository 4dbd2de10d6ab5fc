import { type Costs, priceMeters, type Meters } from '#contract/money.ts';
import type { Clock } from '#lib/clock.ts';
import { closeMeter, type Metered, meteredSessions, sessionById } from '#store/queries/sessions.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { SessionRow, SessionUpdate } from '#store/tables/sessions.ts';
import type { EngineDeps, EngineState } from './engine-deps.ts';
import type { Sandboxes } from './sandboxes.ts';

/** Dependencies of the functions that compute bills. */
export interface Billing extends Pick<EngineDeps, 'rules'> {
  readonly clock: Pick<Clock, 'now'>;
  /** Provides the traffic of living browsers that is not booked yet. */
  readonly sandboxes: Pick<Sandboxes, 'unbookedBytes'>;
  /** Tells whether the service has several processes. */
  readonly owners: Pick<EngineDeps['owners'], 'self'>;
}

/**
 * Returns the consumption of a session, including the running time of its living browser. In a single process it also
 * includes the unbooked traffic of this browser. A closed bill does not change. With several processes only booked
 * traffic counts, because all processes know it.
 */
export function sessionMeters(engine: Billing, session: Metered): Meters {
  return metersWith(engine, session, engine.owners.self === null ? engine.sandboxes.unbookedBytes(session.id) : 0);
}

function metersWith(engine: Billing, session: Metered, unbookedBytes: number): Meters {
  const { inputTokens, outputTokens, llmPicos, browserSince: since } = session;
  const closed = {
    inputTokens,
    outputTokens,
    llmPicos,
    proxyBytes: session.proxyBytes,
    browserMs: session.browserMs,
  };
  if (since === null) return closed;
  return {
    ...closed,
    proxyBytes: session.proxyBytes + unbookedBytes,
    browserMs: session.browserMs + Math.max(engine.clock.now() - since, 1),
  };
}

/** Returns the cost of a session up to now. */
export function sessionCosts(engine: Billing, session: Metered): Costs {
  return priceMeters(engine.rules.pricing, sessionMeters(engine, session));
}

/**
 * Returns the cost of a run up to now. In V2 and V4, the only run of a session that is not kept alive bears all costs
 * of the session. Any other run bears its tokens, its traffic, and the time that it worked.
 */
export function runCosts(engine: EngineState, { run, session }: RunOfSession): Costs {
  if (session.generation !== 'v3' && session.keepAlive === 0) return sessionCosts(engine, session);
  const { llmPicos, proxyBytes, startedAt: started } = run;
  const browserMs = started === null ? 0 : Math.max((run.endedAt ?? engine.clock.now()) - started, 1);
  return priceMeters(engine.rules.pricing, { llmPicos, proxyBytes, browserMs });
}

/** Returns the cost of all sessions of a project, deleted ones included, in micro-dollars. */
export async function spentBy(engine: Billing & Pick<EngineDeps, 'db'>, projectId: string): Promise<number> {
  const sessions = await meteredSessions(engine.db, projectId);
  return sessions.reduce((sum, session) => sum + sessionCosts(engine, session).total, 0);
}

/**
 * Returns the columns that close the bill of the session's browser: from then on, this browser adds nothing to the
 * meters of the session.
 */
export function closedMeters(engine: EngineState, session: SessionRow): SessionUpdate {
  const meters = metersWith(engine, session, engine.sandboxes.unbookedBytes(session.id));
  return { browserMs: meters.browserMs, browserSince: null, proxyBytes: meters.proxyBytes };
}

/**
 * Closes the bill of a session's browser that ended with its service process. The time of the browser counts up to the
 * known end of that process, or up to the session's last activity if later. Amounts shown before therefore never
 * decrease.
 */
export async function closeBill(engine: EngineState, id: string, endedAt: number): Promise<void> {
  const session = await sessionById(engine.db, id);
  if (session.browserSince === null) return;
  const ranMs = Math.max(Math.max(session.updatedAt, endedAt) - session.browserSince, 1);
  await closeMeter(engine.db, session, ranMs);
}
