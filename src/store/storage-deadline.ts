import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { Unavailable } from '#lib/http.ts';

/**
 * Deadline of database operations while the database is unavailable. Background work waits without limit until `end` is
 * called.
 */
export interface StorageDeadline {
  /**
   * Runs the work of a request with a deadline of `ms` milliseconds. The deadline no longer applies after the first
   * write of the request, because a begun change must be completed, or once `isAnswered` returns true.
   */
  forAnswer(ms: number, isAnswered: () => boolean, work: () => void): void;
  /** Runs background work without the deadline of the request that started it. */
  forWork<Result>(work: () => Result): Result;
  /**
   * Returns the milliseconds until the deadline of the current work, at least 0. Until `end` is called, returns
   * Infinity for background work, and for a request that has written or was answered.
   */
  leftMs(): number;
  /** Records that the current request has written, so that its deadline no longer applies. */
  wrote(): void;
  /** Sets a deadline for all work, in `withinMs` milliseconds from now. An earlier deadline stays. */
  end(withinMs: number): void;
}

interface Waiting {
  readonly untilMs: number;
  readonly isAnswered: () => boolean;
  hasWritten: boolean;
}

/**
 * Creates a deadline. Until {@link StorageDeadline.end} it limits only requests. It uses the monotonic clock of the
 * machine.
 */
export function createStorageDeadline(): StorageDeadline {
  const storage = new AsyncLocalStorage<Waiting | undefined>();
  let endMs = Number.POSITIVE_INFINITY;
  return {
    forAnswer(ms, isAnswered, work) {
      storage.run({ untilMs: performance.now() + ms, isAnswered, hasWritten: false }, work);
    },
    forWork: (work) => storage.run(undefined, work),
    leftMs() {
      const waiting = storage.getStore();
      const isBound = waiting !== undefined && !waiting.hasWritten && !waiting.isAnswered();
      const untilMs = isBound ? Math.min(waiting.untilMs, endMs) : endMs;
      return Math.max(untilMs - performance.now(), 0);
    },
    wrote() {
      const waiting = storage.getStore();
      if (waiting !== undefined) waiting.hasWritten = true;
    },
    end(withinMs) {
      endMs = Math.min(endMs, performance.now() + withinMs);
    },
  };
}

/** Deadline of each open database. The key is the Kysely adapter, which a database shares with its transactions. */
const storageDeadlines = new WeakMap<object, StorageDeadline>();

/** Sets the deadline of a database and its transactions. */
export function setStorageDeadline<Tables>(
  db: Pick<Kysely<Tables>, 'getExecutor'>,
  storageDeadline: StorageDeadline,
): void {
  storageDeadlines.set(db.getExecutor().adapter, storageDeadline);
}

/** Returns the deadline that a database was opened with. Throws for a database that `openDatabase` did not open. */
export function getStorageDeadline<Tables>(db: Pick<Kysely<Tables>, 'getExecutor'>): StorageDeadline {
  const storageDeadline = storageDeadlines.get(db.getExecutor().adapter);
  if (storageDeadline === undefined)
    throw new Error('found a database without a storage deadline, expected one of openDatabase');
  return storageDeadline;
}

/** Interval between attempts on a locked database in milliseconds: most locks of other programs end sooner. */
const lockedMs = 10;
/** Interval at which background work retries a write to a full storage, in milliseconds. */
const fullMs = 250;

/**
 * Waits until failed database work can be retried, after the database was locked or the storage was full. Rejects with
 * the error for any other cause, or when the caller's deadline has passed. A request does not wait for free space,
 * because that requires an operator.
 */
export async function waitToTryAgain(storageDeadline: StorageDeadline, error: unknown): Promise<void> {
  const leftMs = storageDeadline.leftMs();
  if (error instanceof DatabaseLocked && leftMs > 0) return setTimeout(Math.min(lockedMs, leftMs));
  if (error instanceof StorageFull && leftMs === Number.POSITIVE_INFINITY) return setTimeout(fullMs);
  throw error;
}

/**
 * Thrown when another program holds a lock of the SQLite database. Nothing of the statement or transaction was
 * written.
 */
export class DatabaseLocked extends Unavailable {
  constructor(cause: unknown) {
    super('database_locked', 'another program holds a lock of the database', { cause });
  }
}

/**
 * Thrown when the disk, a quota or a file-size limit is exhausted. Nothing of the statement, transaction or file was
 * kept.
 */
export class StorageFull extends Unavailable {
  constructor(cause: unknown) {
    super('storage_full', 'the storage is full', { cause });
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const sqliteBusy = 5;
const sqliteLocked = 6;
const sqliteFull = 13;

/**
 * Extended result codes for a failed write, by which SQLite reports a quota or a file-size limit: IOERR_WRITE,
 * IOERR_FSYNC, IOERR_TRUNCATE, IOERR_SHMSIZE.
 */
const sqliteNotWritten: readonly number[] = [778, 1034, 1546, 4874];

/** Error codes of a full file system. */
const fileCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** SQLSTATE of PostgreSQL's error `disk_full`. */
const postgresFull = '53100';

/**
 * Converts an error of a database driver or file system to {@link DatabaseLocked} or {@link StorageFull} if its cause
 * matches. Returns any other error unchanged.
 */
export function storageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable) return error;
  const code = 'code' in error ? error.code : undefined;
  if (code === postgresFull || fileCodes.includes(code)) return new StorageFull(error);
  if (code !== 'ERR_SQLITE_ERROR' || !('errcode' in error)) return error;
  return sqliteError(error, Number(error.errcode));
}

function sqliteError(error: Error, code: number): Error {
  const primary = code % 256;
  if (primary === sqliteBusy || primary === sqliteLocked) return new DatabaseLocked(error);
  return primary === sqliteFull || sqliteNotWritten.includes(code) ? new StorageFull(error) : error;
}
