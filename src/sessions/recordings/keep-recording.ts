import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { discardBlobs } from '#accounts/workspaces/files.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { type Blobs, newBlobKey } from '#store/blobs/blobs.ts';
import { markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { endRecording, eraseOldRecordings, giveUpLostRecordings, recordingById } from '#store/queries/recordings.ts';
import { inTransaction } from '#store/transaction.ts';
import { finishWebm } from './webm-reader.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of storing a recording. */
export interface KeepDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly rules: RuleBook;
  readonly log: Logger;
}

/** Maximum number of old recordings removed in one transaction. */
const atOnce = 100;

/**
 * Stores a finished video as the bytes of its recording and removes the file, then removes recordings that are past
 * their lifetime. The bytes are written under an unreferenced key first; one transaction then assigns the key to the
 * recording. Without a complete picture the recording ends without bytes. Rejects when the bytes cannot be stored; the
 * file stays for the next start.
 */
export async function keepRecording(deps: KeepDeps, id: string, file: string): Promise<void> {
  const { db, blobs, clock } = deps;
  const isErased = (await recordingById(db, id)) === null;
  const video = isErased ? null : await finishWebm(file);
  if (video === null) {
    await endRecording(db, { id, bytes: null, now: clock.now() });
  } else {
    const key = newBlobKey('webm');
    await markUnreferenced(db, key, clock.now());
    await blobs.write(key, { bytes: createReadStream(file), size: video.bytes });
    const bytes = { key, size: video.bytes, durationMs: video.durationMs };
    // The recording was erased meanwhile, so no row owns the new blob.
    if (!(await endRecording(db, { id, bytes, now: clock.now() }))) await discardBlobs(deps, [key]);
  }
  await rm(file, { force: true });
  await removeOld(deps);
}

/**
 * Removes the recordings whose lifetime after their end is over (spec/rules/limits.yaml). Also gives up open recordings
 * of dead processes: those that began longer ago than the lifetime and the maximum duration together.
 */
async function removeOld(deps: KeepDeps): Promise<void> {
  const { db, clock, rules } = deps;
  const now = clock.now();
  const endedBefore = now - getLimit(rules, 'recordingLifetime');
  await giveUpLostRecordings(db, { begunBefore: endedBefore - getLimit(rules, 'recordingDuration'), now });
  for (;;) {
    const keys = await inTransaction(
      db,
      async (trx) => {
        const old = await eraseOldRecordings(trx, { endedBefore, limit: atOnce });
        for (const key of old) await markUnreferenced(trx, key, now);
        return old;
      },
      { of: ['old recordings'] },
    );
    await discardBlobs(deps, keys);
    if (keys.length < atOnce) return;
  }
}

/** Limits of one recording (spec/rules/limits.yaml). */
export interface RecordingBounds {
  readonly durationMaxMs: number;
  readonly bytesMax: number;
  /** Maximum length of the longer side of a picture, in pixels. */
  readonly sideMax: number;
  /** The shortest time between two pictures, in milliseconds. */
  readonly frameIntervalMs: number;
  /** Interval of key frames, at which playback can start, in milliseconds. */
  readonly keyIntervalMs: number;
}

/** Minimum time between two pictures in milliseconds: at most ten pictures per second. */
const frameIntervalMs = 100;

/** Interval of key frames in milliseconds: after a seek, a player decodes at most ten seconds of pictures. */
const keyIntervalMs = 10_000;

/** Returns the limits of every recording. */
export function recordingBounds(rules: RuleBook): RecordingBounds {
  return {
    durationMaxMs: getLimit(rules, 'recordingDuration'),
    bytesMax: getLimit(rules, 'recordingBytes'),
    sideMax: getLimit(rules, 'recordingSide'),
    frameIntervalMs,
    keyIntervalMs,
  };
}
