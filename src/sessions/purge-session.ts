import {
  eraseSession,
  forgetOverwritten,
  markForPurge,
  markPurged,
  unfinishedPurges,
} from '#store/queries/erase-session.ts';
import { cancelPending } from '#store/queries/queue.ts';
import type { SessionRow } from '#store/schema.ts';
import { discardBlobs } from '#accounts/workspaces/index.ts';
import type { EngineState } from './parts.ts';
import { stopAnd } from './stop-session.ts';

/**
 * Stops a session and erases everything about it but what the bill is made of. When this resolves it is erased; a process that
 * ends on the way leaves the rest to the next one (`finishPurges`).
 */
export async function purgeSession(engine: EngineState, session: SessionRow): Promise<void> {
  await stopAnd(engine, session, async (trx) => {
    await cancelPending(trx, session.id);
    await markForPurge(trx, session.id, engine.clock.now());
  });
  await erase(engine, session.id);
}

/**
 * Erases what was to be erased and was not, where that is due: without another word everything, as after the end of the process that was
 * asked to. The list of loose blobs is worked off by the workspaces.
 */
export async function finishPurges(engine: EngineState, isDue: (id: string) => boolean = () => true): Promise<void> {
  for (const id of await unfinishedPurges(engine.db)) if (isDue(id)) await erase(engine, id);
}

async function erase(engine: EngineState, sessionId: string): Promise<void> {
  // What is still being made of it is stored first, and erased with the rest.
  await engine.recordings.end(sessionId);
  await engine.recordings.settled(sessionId);
  const keys = await eraseSession(engine.db, sessionId, { now: engine.clock.now(), newToken: engine.newToken });
  await discardBlobs(engine, keys);
  await forgetOverwritten(engine.db);
  await markPurged(engine.db, sessionId);
}
