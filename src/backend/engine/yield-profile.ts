import { endStates } from '#domain/lifecycle.ts';
import { letGo } from './linger.ts';
import type { EngineState } from './parts.ts';

/**
 * Gives back the profile of a session that somebody else wants: a browser that only lingers for a possible next run goes, and one
 * that is on its way out is waited for. A session that works, or is kept alive because its owner asked for that, keeps its profile.
 */
export async function yieldProfile(engine: EngineState, sessionId: string): Promise<void> {
  await letGo(engine, sessionId, engine.clock.now());
  const ended = await engine.db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('status', 'in', [...endStates(engine.rules.lifecycle, 'session')])
    .executeTakeFirst();
  // Whoever ended it gives its sandbox up a moment later.
  if (ended !== undefined) await engine.sandboxes.close(sessionId);
  await engine.sandboxes.gone(sessionId);
}
