import { Unavailable } from '#lib/unavailable.ts';

/** Another program holds a lock of the SQLite database. Nothing of the statement or transaction was written. */
export class DatabaseLocked extends Unavailable {
  constructor(cause: unknown) {
    super('database_locked', 'another program holds a lock of the database', { cause });
  }
}

/** The disk, a quota or a file-size limit is exhausted. Nothing of the statement, transaction or file was kept. */
export class StorageFull extends Unavailable {
  constructor(cause: unknown) {
    super('storage_full', 'the storage is full', { cause });
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const sqliteBusy = 5;
const sqliteLocked = 6;
const sqliteFull = 13;

/** SQLite reports a quota or a file-size limit as a failed write: IOERR_WRITE, IOERR_FSYNC, IOERR_TRUNCATE, IOERR_SHMSIZE. */
const sqliteNotWritten: readonly number[] = [778, 1034, 1546, 4874];

/** What the file system says when it takes no more bytes. */
const fileCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** PostgreSQL's `disk_full`. */
const postgresFull = '53100';

/** Returns the error of a database driver or file system as {@link DatabaseLocked} or {@link StorageFull} where it is one; else itself. */
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
