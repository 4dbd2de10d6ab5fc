import type { EngineState } from './parts.ts';

/** The task of a session that waits or runs, or null. */
export async function activeRun(engine: EngineState, sessionId: string): Promise<{ id: string; task: string } | null> {
  const run = await engine.db
    .selectFrom('runs')
    .select(['id', 'task'])
    .where('session_id', '=', sessionId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst();
  return run ?? null;
}
