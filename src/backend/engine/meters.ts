import type { Updateable } from 'kysely';
import { type Costs, type Meters, costsOf } from '#domain/money.ts';
import type { SessionRow } from '../storage/sessions.ts';
import type { SessionTable } from '../storage/schema.ts';
import type { EngineState } from './parts.ts';

/** What a session has consumed up to now, with what its living browser has not booked yet. */
export function metersOf(engine: EngineState, session: SessionRow): Meters {
  const openMs = session.browser_since === null ? 0 : Math.max(engine.clock.now() - session.browser_since, 1);
  return {
    inputTokens: session.input_tokens,
    outputTokens: session.output_tokens,
    proxyBytes: session.proxy_bytes + engine.sandboxes.unbookedBytes(session.id),
    browserMs: session.browser_ms + openMs,
  };
}

/** What a session has cost up to now. */
export function sessionCosts(engine: EngineState, session: SessionRow): Costs {
  return costsOf(engine.rules.pricing, metersOf(engine, session));
}

/** The columns that close the browser's bill: from now on the meters of the session stand still. */
export function closedMeters(engine: EngineState, session: SessionRow): Updateable<SessionTable> {
  const meters = metersOf(engine, session);
  const sandbox = engine.sandboxes.get(session.id);
  if (sandbox?.browser !== undefined) sandbox.bookedBytes = sandbox.browser.trafficBytes();
  return { browser_ms: meters.browserMs, browser_since: null, proxy_bytes: meters.proxyBytes };
}
