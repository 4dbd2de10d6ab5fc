import type { Updateable } from 'kysely';
import { type Costs, type Meters, costsOf } from '#contract/money.ts';
import type { RunOfSession, SessionRow, SessionTable } from '#store/schema.ts';
import type { Clock } from '#lib/clock.ts';
import type { EngineParts, EngineState } from './parts.ts';
import type { Sandboxes } from './sandboxes.ts';

/** What bills are made with. */
export interface Billing extends Pick<EngineParts, 'rules'> {
  readonly clock: Pick<Clock, 'now'>;
  /** Know what living browsers have not booked yet. */
  readonly sandboxes: Pick<Sandboxes, 'unbookedBytes'>;
  /** Whether there are other processes. */
  readonly owners: Pick<EngineParts['owners'], 'self'>;
}

/** What of a session its bill is made of. */
type Metered = Pick<SessionRow, (typeof meteredColumns)[number]>;

/** The columns of a session that its bill is made of. */
export const meteredColumns = [
  'id',
  'input_tokens',
  'output_tokens',
  'llm_picos',
  'proxy_bytes',
  'browser_ms',
  'browser_since',
] as const;

/**
 * What a session has consumed up to now, with what its living browser has not booked yet; a closed bill stands still. Among several
 * processes only what is booked counts, which all of them know.
 */
export function metersOf(engine: Billing, session: Metered): Meters {
  return metersWith(engine, session, engine.owners.self === null ? engine.sandboxes.unbookedBytes(session.id) : 0);
}

function metersWith(engine: Billing, session: Metered, unbookedBytes: number): Meters {
  const { input_tokens: inputTokens, output_tokens: outputTokens, llm_picos: llmPicos, browser_since: since } = session;
  const closed = {
    inputTokens,
    outputTokens,
    llmPicos,
    proxyBytes: session.proxy_bytes,
    browserMs: session.browser_ms,
  };
  if (since === null) return closed;
  return {
    ...closed,
    proxyBytes: session.proxy_bytes + unbookedBytes,
    browserMs: session.browser_ms + Math.max(engine.clock.now() - since, 1),
  };
}

/** What a session has cost up to now. */
export function sessionCosts(engine: Billing, session: Metered): Costs {
  return costsOf(engine.rules.pricing, metersOf(engine, session));
}

/**
 * What one run has cost up to now. A session that lives for one run is its run's own; of another session a run bears its
 * tokens, its traffic and the time that it worked.
 */
export function runCosts(engine: EngineState, { run, session }: RunOfSession): Costs {
  if (session.generation !== 'v3' && session.keep_alive === 0) return sessionCosts(engine, session);
  const { llm_picos: llmPicos, proxy_bytes: proxyBytes, started_at: started } = run;
  const browserMs = started === null ? 0 : Math.max((run.ended_at ?? engine.clock.now()) - started, 1);
  return costsOf(engine.rules.pricing, { llmPicos, proxyBytes, browserMs });
}

/** What the sessions of a project, deleted ones included, have cost up to now, in micro-dollars. */
export async function spentBy(engine: Billing & Pick<EngineParts, 'db'>, projectId: string): Promise<number> {
  const sessions = await engine.db
    .selectFrom('sessions')
    .select(meteredColumns)
    .where('project_id', '=', projectId)
    .execute();
  return sessions.reduce((sum, session) => sum + sessionCosts(engine, session).total, 0);
}

/** The columns that close the browser's bill: from now on the meters of the session stand still. */
export function closedMeters(engine: EngineState, session: SessionRow): Updateable<SessionTable> {
  const meters = metersWith(engine, session, engine.sandboxes.unbookedBytes(session.id));
  return { browser_ms: meters.browserMs, browser_since: null, proxy_bytes: meters.proxyBytes };
}
