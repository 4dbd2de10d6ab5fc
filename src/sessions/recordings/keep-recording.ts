import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { type Blobs, newBlobKey } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { markLoose } from '#store/blobs/unreferenced-blobs.ts';
import { endRecording, eraseOldRecordings, giveUpLostRecordings, recordingById } from '#store/queries/recordings.ts';
import { discardBlobs } from '#accounts/workspaces/index.ts';
import { finishWebm } from './webm/finish-webm.ts';

/** What keeping a recording needs. */
export interface KeepParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly rules: RuleBook;
  readonly log: Logger;
}

/** How many old recordings are removed in one transaction. */
const atOnce = 100;

/**
 * Makes a video that has ended, however, the bytes of its recording, and removes the file. The bytes are written under a loose key, and
 * one transaction makes them the recording's. Rejects when they cannot be stored: the file stays for the next start.
 */
export async function keepRecording(parts: KeepParts, id: string, file: string): Promise<void> {
  const { db, blobs, clock } = parts;
  const isErased = (await recordingById(db, id)) === null;
  const video = isErased ? null : await finishWebm(file);
  if (video === null) {
    await endRecording(db, { id, bytes: null, now: clock.now() });
  } else {
    const key = newBlobKey('webm');
    await markLoose(db, key, clock.now());
    await blobs.write(key, { bytes: createReadStream(file), size: video.bytes });
    const bytes = { key, size: video.bytes, durationMs: video.durationMs };
    // Erased meanwhile, with whatever it belongs to.
    if (!(await endRecording(db, { id, bytes, now: clock.now() }))) await discardBlobs(parts, [key]);
  }
  await rm(file, { force: true });
  await removeOld(parts);
}

/** Removes the recordings that ended longer ago than they are kept (spec/rules/limits.yaml), and waits no longer for those of dead processes. */
async function removeOld(parts: KeepParts): Promise<void> {
  const { db, clock, rules } = parts;
  const now = clock.now();
  const endedBefore = now - limitOf(rules, 'recordingLifetime');
  await giveUpLostRecordings(db, { begunBefore: endedBefore - limitOf(rules, 'recordingDuration'), now });
  for (;;) {
    const keys = await inTransaction(
      db,
      async (trx) => {
        const old = await eraseOldRecordings(trx, { endedBefore, limit: atOnce });
        for (const key of old) await markLoose(trx, key, now);
        return old;
        // Each row is removed by one of those that remove it.
      },
      { of: [] },
    );
    await discardBlobs(parts, keys);
    if (keys.length < atOnce) return;
  }
}
