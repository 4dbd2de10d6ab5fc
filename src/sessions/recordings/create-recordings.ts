import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { BrowserHost, HostedBrowser } from '#browsers/host.ts';
import { unlessMissing } from '#lib/system-errors.ts';
import { within } from '#browsers/within.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Blobs, ByteRange } from '#store/blobs/blobs.ts';
import {
  claimRecording,
  insertRecording,
  openRecordings,
  openRecordingsBy,
  recordingById,
  type RecordingPlace,
  type RecordingRow,
  listOwnerRecordings,
  recordingsOfCompletedRuns,
  findContinuedRecording,
} from '#store/queries/recordings.ts';
import { keepRecording, recordingBounds } from './keep-recording.ts';
import { type BrowserRecording, recordBrowser } from './record-browser.ts';
import { takeVideos } from './take-videos.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of recordings. */
export interface RecordingDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly host: Pick<BrowserHost, 'openEncoder'>;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
  readonly rules: RuleBook;
  readonly log: Logger;
  /** Folder of growing videos, in the data folder of this process. */
  readonly folder: string;
  /** Id of this process; null in a single-process service. */
  readonly self: string | null;
}

/** Browser to record, and the owner of the recording. */
export interface Recorded {
  /** The session or standalone browser that the recording belongs to. */
  readonly ownerId: string;
  readonly browser: HostedBrowser;
  /** Run that the recording shows. @defaultValue none: the recording shows the browser */
  readonly runId?: string;
  /** Whether the owner's next browser continues the recording, until `end`. */
  readonly goesOn: boolean;
  /**
   * Returns false once pictures of the browser must not be stored any more; the video then ends.
   * @defaultValue always true
   */
  readonly mayShow?: () => boolean;
}

/** A running recording of a browser. */
export interface RecordingInProgress {
  /**
   * Stops recording. Resolves when the video is stored, or is left in its file for the owner's next browser. Resolves
   * at most after 2 s; the work then continues in the background.
   */
  stop(): Promise<void>;
}

/** Recordings of browsers. */
export interface Recordings {
  /**
   * Records a browser until it ends or the returned recording is stopped. Failures are logged and never reach the
   * caller.
   */
  record(wanted: Recorded): RecordingInProgress;
  /** Ends and stores the continued recording of an owner that starts no further browser; resolves like `stop`. */
  end(ownerId: string): Promise<void>;
  /** Resolves when no recording of an owner is running or being stored. */
  settled(ownerId: string): Promise<void>;
  /** Returns the recordings of an owner, oldest first. */
  of(ownerId: string): MaybePromise<readonly RecordingRow[]>;
  /** Returns the recordings of a session's completed runs, oldest first. */
  ofCompletedRuns(sessionId: string): MaybePromise<readonly RecordingRow[]>;
  /** Returns the recording with this id if its video is stored; otherwise null. */
  find(id: string): Promise<RecordingRow | null>;
  /** Returns the bytes of a recording or a range of them; null when the bytes were removed. */
  read(recording: RecordingRow, range: ByteRange | null): Promise<Readable | null>;
  /**
   * Stores recordings of an earlier process in the background, except those that a living owner continues. With
   * `onlyHere`, recordings without a video in this folder belong to other processes and stay unchanged. Removes unknown
   * files of the folder.
   */
  recover(isAlive: (ownerId: string) => Promise<boolean>, onlyHere: boolean): Promise<void>;
  /**
   * Reclaims the recordings of a dead process, as far as its folder is accessible. Continued recordings end, because
   * the next browser runs elsewhere. Videos in an inaccessible folder stay for a process that starts with this folder.
   * Idempotent.
   */
  reclaim(worker: string): Promise<void>;
  /**
   * Stops all recordings. Resolves when their videos are stored; a recording that the next browser continues stays open
   * in its file.
   */
  close(): Promise<void>;
}

/**
 * Maximum time that the end of a session waits for its recording, in milliseconds; usually the recording is ready by
 * then.
 */
const soonMs = 2_000;

/** Creates recordings whose videos grow in a folder. Writes nothing before the first recording. */
export function createRecordings(deps: RecordingDeps): Recordings {
  const { db, folder, log } = deps;
  const active = new Set<RecordingInProgress>();
  const lines = createOwnerLines(log);
  const getFilePath = (id: string): string => join(folder, `${id}.webm`);
  const keep = (id: string): Promise<void> => keepRecording(deps, id, getFilePath(id));
  return {
    record(wanted) {
      const { ownerId, goesOn } = wanted;
      const stopped = Promise.withResolvers<void>();
      const fresh = deps.newId();
      // A continued recording is one video: a browser waits until the previous browser has ended.
      const done = lines.add({ ownerId, line: goesOn ? ownerId : fresh }, async () => {
        const id = await openRow(deps, wanted, fresh);
        try {
          await record(deps, wanted, { file: getFilePath(id), stopped: stopped.promise });
        } finally {
          active.delete(recording);
          // A partial recording is stored, too. If the recording was erased meanwhile, `keep` removes its file.
          if (!goesOn || (await recordingById(db, id)) === null) await keep(id);
        }
      });
      const recording = {
        stop() {
          stopped.resolve();
          return withinDeadline(done);
        },
      };
      active.add(recording);
      return recording;
    },
    end(ownerId) {
      const ended = lines.add({ ownerId, line: ownerId }, async () => {
        const row = await findContinuedRecording(db, ownerId, deps.self);
        if (row !== null) await keep(row.id);
      });
      return withinDeadline(ended);
    },
    settled: (ownerId) => lines.settled(ownerId),
    of: (ownerId) => listOwnerRecordings(db, ownerId),
    ofCompletedRuns: (sessionId) => recordingsOfCompletedRuns(db, sessionId),
    async find(id) {
      const found = await recordingById(db, id);
      return found?.status === 'ready' ? found : null;
    },
    read: async ({ blobKey: key }, range) => (key === null ? null : deps.blobs.read(key, range ?? undefined)),
    async recover(isAlive, onlyHere) {
      const open = await openRecordings(db);
      const rows = onlyHere ? open.filter(({ id }) => existsSync(getFilePath(id))) : open;
      await removeUnknown(folder, new Set(rows.map(({ id }) => getFilePath(id))));
      for (const { id, ownerId, goesOn } of rows) {
        // The recording belonged to an earlier process with this folder.
        await claimRecording(db, id, getPlace(deps));
        if (goesOn === 0 || !(await isAlive(ownerId))) void lines.add({ ownerId, line: ownerId }, () => keep(id));
      }
    },
    async reclaim(worker) {
      for (const { id, ownerId } of await takeOver(deps, worker, getFilePath))
        void lines.add({ ownerId, line: ownerId }, () => keep(id));
    },
    async close() {
      for (const recording of active) void recording.stop();
      await lines.settled();
    },
  };
}

/** Moves the videos of a dead process to this folder, as far as they are accessible; returns their recordings. */
async function takeOver(
  deps: RecordingDeps,
  worker: string,
  getFilePath: (id: string) => string,
): Promise<readonly RecordingRow[]> {
  const { db, folder, log } = deps;
  const left = (await openRecordingsBy(db, worker)).filter((row) => row.folder !== null && row.folder !== folder);
  const taken: RecordingRow[] = [];
  for (const [from, rows] of Map.groupBy(left, (row) => row.folder ?? '')) {
    const names = rows.map(({ id }) => basename(getFilePath(id)));
    const moved = new Set(await takeVideos({ from, to: folder, names, log }));
    for (const row of rows.filter(({ id }) => moved.has(basename(getFilePath(id))))) {
      await claimRecording(db, row.id, getPlace(deps));
      taken.push(row);
    }
  }
  return taken;
}

/** Waits until work has settled, at most `soonMs`. Never rejects. */
async function withinDeadline(work: Promise<void>): Promise<void> {
  // The work continues, and its failures are logged where it runs.
  await Promise.allSettled([within(soonMs, work, 'It is done in the background.')]);
}

/** Returns the process and folder of new recordings; both null in a single-process service. */
function getPlace({ self, folder }: RecordingDeps): RecordingPlace {
  return self === null ? { worker: null, folder: null } : { worker: self, folder };
}

/**
 * Returns the id of the recording to write: the owner's continued recording, else a recording that is inserted with the
 * id `fresh`.
 */
async function openRow(deps: RecordingDeps, { ownerId, runId, goesOn }: Recorded, fresh: string): Promise<string> {
  const { db, clock } = deps;
  const before = goesOn ? await findContinuedRecording(db, ownerId, deps.self) : null;
  if (before !== null) return before.id;
  await insertRecording(db, {
    id: fresh,
    ownerId,
    runId: runId ?? null,
    goesOn,
    place: getPlace(deps),
    now: clock.now(),
  });
  return fresh;
}

async function record(
  { host, rules, log, folder }: RecordingDeps,
  { browser, mayShow = () => true }: Recorded,
  of: Pick<BrowserRecording, 'file' | 'stopped'>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const video = { ...of, bounds: recordingBounds(rules), log, openEncoder: host.openEncoder.bind(host) };
  await recordBrowser({ ...video, browser, mayShow });
}

/** Removes unknown files of a folder; does nothing for a missing folder. */
async function removeUnknown(folder: string, known: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder).catch(unlessMissing<string[]>([]))) {
    const path = join(folder, name);
    if (!known.has(path)) await rm(path, { recursive: true, force: true });
  }
}

/** Queues of background work by owner. */
export interface OwnerLines {
  /**
   * Runs work after all earlier work of the same queue, which `line` names. Resolves when the work has ended; failures
   * are logged.
   */
  add(to: { readonly ownerId: string; readonly line: string }, work: () => Promise<void>): Promise<void>;
  /** Resolves when no work is left, of one owner or of all owners. */
  settled(ownerId?: string): Promise<void>;
}

/** Creates queues that are removed when empty. */
function createOwnerLines(log: Logger): OwnerLines {
  const lines = new Map<string, { readonly ownerId: string; readonly last: Promise<void> }>();
  return {
    add({ ownerId, line }, work) {
      const before = lines.get(line)?.last ?? Promise.resolve();
      const last = before
        .then(work)
        .catch((error: unknown) => log.error({ owner: ownerId, err: error }, 'a recording was lost'))
        .finally(() => {
          if (lines.get(line)?.last === last) lines.delete(line);
        });
      lines.set(line, { ownerId, last });
      return last;
    },
    async settled(ownerId) {
      for (;;) {
        const all = Array.from(lines.values()).filter((one) => ownerId === undefined || one.ownerId === ownerId);
        if (all.length === 0) return;
        await Promise.all(all.map(({ last }) => last));
      }
    },
  };
}
