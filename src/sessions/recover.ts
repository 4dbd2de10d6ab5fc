import { closeBill } from './close-bill.ts';
import type { EngineState } from './parts.ts';
import { finishPurges } from './purge-session.ts';
import { goOnWithOwn } from './queue.ts';
import { resumeSession } from './resume.ts';

/**
 * Finds every session again that an earlier process left: a running task is ended as a crash and never run again, an idle
 * session stays idle without a browser until its next follow-up, a created one starts and its waiting task runs.
 */
export async function recover(engine: EngineState): Promise<void> {
  // Among several processes whoever lives finds what a dead one left.
  if (engine.owners.self !== null) return;
  const left = await engine.db
    .selectFrom('sessions')
    .select(['id', 'status'])
    .where('status', 'in', ['created', 'idle', 'running'])
    .execute();
  // Calls of that process came to nothing that anybody knows of: their money is free again, and none of them is made again.
  await engine.db.deleteFrom('model_calls').execute();
  const endedAt = engine.clock.now() - engine.outageMs;
  for (const { id, status } of left) {
    await closeBill(engine, id, endedAt);
    const ended = { mayBegin: false, reason: 'the service ended while the task ran' };
    if (status !== 'idle') await resumeSession(engine, { id, status }, ended);
  }
  await finishPurges(engine);
  engine.inBackground('go on with what waits', () => goOnWithOwn(engine));
  await engine.rearmInactivity();
}
