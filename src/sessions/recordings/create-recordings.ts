import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { BrowserHost, HostedBrowser } from '#browsers/host.ts';
import { isMissing } from '#browsers/launch/process-table.ts';
import { within } from '#browsers/within.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { Soon } from '#lib/maybe-promise.ts';
import type { Blobs, ByteRange } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';
import {
  claimRecording,
  insertRecording,
  openRecordings,
  openRecordingsBy,
  recordingById,
  type RecordingPlace,
  type RecordingRow,
  recordingsOf,
  recordingsOfCompletedRuns,
  recordingThatGoesOn,
} from '#store/queries/recordings.ts';
import { keepRecording, recordingBounds } from './keep-recording.ts';
import { type BrowserRecording, recordBrowser } from './record-browser.ts';
import { takeVideos } from './take-videos.ts';

/** Everything that recordings work with; all that varies is an argument. */
export interface RecordingParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly host: Pick<BrowserHost, 'openEncoder'>;
  readonly clock: Clock;
  /** Makes a new uuid. */
  readonly newId: () => string;
  readonly rules: RuleBook;
  readonly log: Logger;
  /** Where videos grow before they are blobs; a folder of their own, in the data folder of this process. */
  readonly folder: string;
  /** This process among others; null where it is the only one. */
  readonly self: string | null;
}

/** What is recorded. */
export interface Recorded {
  /** The session or standalone browser that the recording belongs to. */
  readonly ownerId: string;
  readonly browser: HostedBrowser;
  /** The run that the recording shows. @defaultValue none: it shows the browser, whatever runs work in it */
  readonly runId?: string;
  /** Whether the next browser of the owner goes on with it, until `end`; else it is over with this one. */
  readonly goesOn: boolean;
  /** False as soon as nothing of the browser may be kept any more: the video stops there. @defaultValue always true */
  readonly mayShow?: () => boolean;
}

/** One browser that is being recorded. */
export interface RecordingInProgress {
  /** Records no more of it; settles when its bytes are stored, and after 2 s in any case: the rest is done in the background. */
  stop(): Promise<void>;
}

/** Recordings of browsers. */
export interface Recordings {
  /** Begins to record until the browser ends; what fails is logged and never the caller's. */
  record(wanted: Recorded): RecordingInProgress;
  /** Stores what goes on of an owner, since no other browser of it will come; settles as `stop` does. */
  end(ownerId: string): Promise<void>;
  /** Settles when nothing of an owner is being recorded or stored. */
  settled(ownerId: string): Promise<void>;
  /** The recordings of an owner, oldest first. */
  of(ownerId: string): Soon<readonly RecordingRow[]>;
  /** Returns the recordings of the runs of a session that have completed, oldest first. */
  ofCompletedRuns(sessionId: string): Soon<readonly RecordingRow[]>;
  /** The recording of that id if it can be seen, or null. */
  find(id: string): Promise<RecordingRow | null>;
  /** The bytes of a recording, all or a part of them; null when there are none any more. */
  read(recording: RecordingRow, range: ByteRange | null): Promise<Readable | null>;
  /**
   * Stores what an earlier process left, except what goes on: the next browser of an owner that `isAlive` may come. With `onlyHere` what
   * has no video in this folder belongs to another process, and stays as it is.
   */
  recover(isAlive: (ownerId: string) => Promise<boolean>, onlyHere: boolean): Promise<void>;
  /**
   * Stores what a dead process left, as far as its folder can be reached from here: also what would have gone on, because its next browser
   * runs in another process. What cannot be reached stays for whoever starts there. To be done again is without effect.
   */
  bury(worker: string): Promise<void>;
  /** Stops all that is being recorded; settles when everything is stored. */
  close(): Promise<void>;
}

/** As long as whoever ends something waits for its recording: usually it is there when they look for it. */
const soonMs = 2_000;

/** Recordings whose videos grow in a folder. Nothing is written before something is recorded. */
export function createRecordings(parts: RecordingParts): Recordings {
  const { db, folder, log } = parts;
  const active = new Set<RecordingInProgress>();
  const lines = createOwnerLines(log);
  const fileOf = (id: string): string => join(folder, `${id}.webm`);
  const keep = (id: string): Promise<void> => keepRecording(parts, id, fileOf(id));
  return {
    record(wanted) {
      const { ownerId, goesOn } = wanted;
      const stopped = Promise.withResolvers<void>();
      const fresh = parts.newId();
      // What goes on is one video: a browser waits until the one before has left it.
      const done = lines.add({ ownerId, line: goesOn ? ownerId : fresh }, async () => {
        const id = await openRow(parts, wanted, fresh);
        try {
          await record(parts, wanted, { file: fileOf(id), stopped: stopped.promise });
        } finally {
          active.delete(recording);
          // However it ended, what there is of it is kept; nothing of one that was erased meanwhile.
          if (!goesOn || (await recordingById(db, id)) === null) await keep(id);
        }
      });
      const recording = {
        stop() {
          stopped.resolve();
          return soon(done);
        },
      };
      active.add(recording);
      return recording;
    },
    end(ownerId) {
      const ended = lines.add({ ownerId, line: ownerId }, async () => {
        const row = await recordingThatGoesOn(db, ownerId, parts.self);
        if (row !== null) await keep(row.id);
      });
      return soon(ended);
    },
    settled: (ownerId) => lines.settled(ownerId),
    of: (ownerId) => recordingsOf(db, ownerId),
    ofCompletedRuns: (sessionId) => recordingsOfCompletedRuns(db, sessionId),
    async find(id) {
      const found = await recordingById(db, id);
      return found?.status === 'ready' ? found : null;
    },
    read: async ({ blob_key: key }, range) => (key === null ? null : parts.blobs.read(key, range ?? undefined)),
    async recover(isAlive, onlyHere) {
      const open = await openRecordings(db);
      const rows = onlyHere ? open.filter(({ id }) => existsSync(fileOf(id))) : open;
      await removeUnknown(folder, new Set(rows.map(({ id }) => fileOf(id))));
      for (const { id, owner_id: ownerId, goes_on: goesOn } of rows) {
        // Whoever made it before is this process's predecessor here.
        await claimRecording(db, id, placeOf(parts));
        if (goesOn === 0 || !(await isAlive(ownerId))) void lines.add({ ownerId, line: ownerId }, () => keep(id));
      }
    },
    async bury(worker) {
      for (const { id, owner_id: ownerId } of await takeOver(parts, worker, fileOf))
        void lines.add({ ownerId, line: ownerId }, () => keep(id));
    },
    async close() {
      for (const recording of active) void recording.stop();
      await lines.settled();
    },
  };
}

/** Moves the videos of a dead process to this one's folder, as far as its own can be reached; answers the recordings that they are of. */
async function takeOver(
  parts: RecordingParts,
  worker: string,
  fileOf: (id: string) => string,
): Promise<readonly RecordingRow[]> {
  const { db, folder, log } = parts;
  const left = (await openRecordingsBy(db, worker)).filter((row) => row.folder !== null && row.folder !== folder);
  const taken: RecordingRow[] = [];
  for (const [from, rows] of Map.groupBy(left, (row) => row.folder ?? '')) {
    const names = rows.map(({ id }) => basename(fileOf(id)));
    const moved = new Set(await takeVideos({ from, to: folder, names, log }));
    for (const row of rows.filter(({ id }) => moved.has(basename(fileOf(id))))) {
      await claimRecording(db, row.id, placeOf(parts));
      taken.push(row);
    }
  }
  return taken;
}

/** Waits for work, and not for long. */
async function soon(work: Promise<void>): Promise<void> {
  // It goes on in any case, and what it rejects with is logged where it is done.
  await Promise.allSettled([within(soonMs, work, 'It is done in the background.')]);
}

/** Where the recordings of this process are made. */
function placeOf({ self, folder }: RecordingParts): RecordingPlace {
  return self === null ? { worker: null, folder: null } : { worker: self, folder };
}

/** The recording that goes on, or a new one under the given id. */
async function openRow(parts: RecordingParts, { ownerId, runId, goesOn }: Recorded, fresh: string): Promise<string> {
  const { db, clock } = parts;
  const before = goesOn ? await recordingThatGoesOn(db, ownerId, parts.self) : null;
  if (before !== null) return before.id;
  await insertRecording(db, {
    id: fresh,
    ownerId,
    runId: runId ?? null,
    goesOn,
    place: placeOf(parts),
    now: clock.now(),
  });
  return fresh;
}

async function record(
  { host, rules, log, folder }: RecordingParts,
  { browser, mayShow = () => true }: Recorded,
  of: Pick<BrowserRecording, 'file' | 'stopped'>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const video = { ...of, bounds: recordingBounds(rules), log, openEncoder: host.openEncoder.bind(host) };
  await recordBrowser({ ...video, browser, mayShow });
}

/** Removes the files of a folder that nobody knows; without effect when there is no such folder. */
async function removeUnknown(folder: string, known: ReadonlySet<string>): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    if (!known.has(path)) await rm(path, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Work in the background, in lines. */
export interface OwnerLines {
  /** Does a piece of work after all that stands in its line, and settles then; what it rejects with is logged. */
  add(to: { readonly ownerId: string; readonly line: string }, work: () => Promise<void>): Promise<void>;
  /** Settles when nothing is left to do, of one owner or of all. */
  settled(ownerId?: string): Promise<void>;
}

/** Lines that are forgotten as soon as they are empty. */
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
