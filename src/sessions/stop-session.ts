import { runState } from '#generated/states.ts';
import { discardBlobs } from '#accounts/workspaces/files.ts';
import { markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { releasePending } from '#store/queries/attachments.ts';
import {
  eraseSession,
  forgetOverwritten,
  markForPurge,
  markPurged,
  unfinishedPurges,
} from '#store/queries/erase-session.ts';
import { cancelPending } from '#store/queries/queue.ts';
import { eraseRecordings } from '#store/queries/recordings.ts';
import { markDeleted, sessionById } from '#store/queries/sessions.ts';
import { deleteShare } from '#store/queries/shares.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { inTransaction, type Transaction } from '#store/transaction.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import { transition } from './transition.ts';

/** Stops a session permanently and returns it; an ended session stays unchanged. */
export async function stopSession(engine: EngineState, session: SessionRow): Promise<SessionRow> {
  await stopAnd(engine, session);
  return sessionById(engine.db, session.id);
}

/**
 * Stops a session permanently and performs `also` in the same transaction, even if the session had ended before.
 * Returns the result of `also`.
 */
async function stopAnd<Also>(
  engine: EngineState,
  session: SessionRow,
  also?: (trx: Transaction) => Promise<Also>,
): Promise<Also | undefined> {
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'stop' },
    set: (seen) => closedMeters(engine, seen.session),
    run: { status: runState.cancelled, reason: 'session stopped' },
    ...(also === undefined ? {} : { also, alsoScope: 'everything' }),
  });
  if (moved === null) return also === undefined ? also : inTransaction(engine.db, also, { of: 'everything' });
  engine.sandboxes.endTasks(session.id, 'stopped');
  await engine.sandboxes.close(session.id);
  await engine.goOn(session.id);
  return moved.also;
}

/**
 * Deletes a session with its queue, its share, its recordings and the files of its own workspace. A living session is
 * stopped first.
 */
export async function deleteSession(engine: EngineState, session: SessionRow): Promise<void> {
  const unreferenced = await stopAnd(engine, session, async (trx) => {
    await releasePending(trx, session.id);
    await cancelPending(trx, session.id);
    await deleteShare(trx, session.id);
    await markDeleted(trx, session.id, { deletedAt: engine.clock.now() });
    const recordings = await eraseRecordings(trx, session.id);
    for (const key of recordings) await markUnreferenced(trx, key, engine.clock.now());
    return [...(await engine.workspaces.retireOwned(trx, session.id)), ...recordings];
  });
  await engine.workspaces.discard(unreferenced ?? []);
}

/**
 * Stops a session and erases all of its data except the meters of its bill. Resolves after the erasure. {@link
 * finishPurges} later finishes an interrupted erasure.
 */
export async function purgeSession(engine: EngineState, session: SessionRow): Promise<void> {
  await stopAnd(engine, session, async (trx) => {
    await cancelPending(trx, session.id);
    await markForPurge(trx, session.id, engine.clock.now());
  });
  await erase(engine, session.id);
}

/**
 * Finishes the interrupted purges for which `isDue` returns true; by default all interrupted purges. The next start of
 * the service removes blobs that an interrupted purge left unreferenced.
 */
export async function finishPurges(engine: EngineState, isDue: (id: string) => boolean = () => true): Promise<void> {
  for (const id of await unfinishedPurges(engine.db)) if (isDue(id)) await erase(engine, id);
}

async function erase(engine: EngineState, sessionId: string): Promise<void> {
  // A recording in progress is stored first, and then erased with the other data.
  await engine.recordings.end(sessionId);
  await engine.recordings.settled(sessionId);
  const keys = await eraseSession(engine.db, sessionId, { now: engine.clock.now(), newToken: engine.newToken });
  await discardBlobs(engine, keys);
  await forgetOverwritten(engine.db);
  await markPurged(engine.db, sessionId);
}
