import { unmarkUnreferenced } from '../blobs/unreferenced-blobs.ts';
import type { Database } from '../database.ts';
import { prepared, preparedInsert } from '../prepare.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';

/** Makes an unreferenced blob the latest picture of a session; false when the session is purged. */
export function givePicture(db: Database, sessionId: string, key: string): Promise<boolean> {
  return inTransaction(db, (trx) => givePictureIn(trx, sessionId, key), { of: [sessionId] });
}

const addPicture = preparedInsert('pictures');

const setPicture = prepared<{ readonly key: string; readonly sessionId: string }, unknown>(
  ['key', 'sessionId'],
  (db, { key, sessionId }) =>
    db.updateTable('sessions').set({ screenshotKey: key }).where('id', '=', sessionId).where('purgeState', 'is', null),
);

/**
 * Makes an unreferenced blob the latest picture of a session, within a transaction; false when the session is purged.
 */
export async function givePictureIn(trx: Transaction, sessionId: string, key: string): Promise<boolean> {
  const { numAffectedRows } = await setPicture.run(trx, { key, sessionId });
  if (numAffectedRows === 0n) return false;
  await addPicture(trx, { key, sessionId });
  await unmarkUnreferenced(trx, [key]);
  return true;
}

/** The blob key of a step's screenshot, and the event of the step. */
export interface StepPicture {
  readonly eventId: number;
  readonly key: string;
}

/**
 * Returns the screenshots of a run's steps, oldest first; steps without one are left out. A step and its event are
 * written in one transaction, so the n-th event belongs to the n-th step.
 */
export async function listStepPictures(db: Executor, runId: string): Promise<StepPicture[]> {
  const steps = await db
    .selectFrom('steps')
    .select('screenshotKey as key')
    .where('runId', '=', runId)
    .orderBy('id')
    .execute();
  // Read after the steps: an event that is written between the two reads is one too many, never one too few.
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('runId', '=', runId)
    .where('type', '=', 'step')
    .orderBy('id')
    .limit(steps.length)
    .execute();
  return events.flatMap(({ id }, index) => {
    const key = steps[index]?.key ?? null;
    return key === null ? [] : [{ eventId: id, key }];
  });
}
