import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, openDatabase } from '#store/database.ts';
import { createPatience, DatabaseLocked, StorageFull } from '#store/storage-deadline.ts';
import { AdminFault } from './admin-fault.ts';

/** Where a service keeps its state. */
export interface Place {
  /** Data folder of the service, which may be running. */
  readonly data: string;
  /** Address of its PostgreSQL database; absent for the file in the folder. */
  readonly database?: string;
}

/**
 * Opens the database of a service, which may be running, for as long as the work lasts. Rejects with an {@link AdminFault} where there is
 * none, or it cannot be reached.
 */
export async function withDatabase<Result>(place: Place, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = place.database === undefined ? await openFile(place.data) : await openAddress(place.database);
  try {
    return await work(db);
  } catch (error) {
    throw asFault(error);
  } finally {
    await db.destroy();
  }
}

/** How long a command waits for another program that holds a lock of the database, in milliseconds. */
const lockedMs = 10_000;

function asFault(error: unknown): unknown {
  if (error instanceof DatabaseLocked)
    return new AdminFault(
      `found the database locked by another program for ${lockedMs / 1_000} s: end that program, or try again when it has finished`,
      { cause: error },
    );
  if (error instanceof StorageFull)
    return new AdminFault('found no room left for the database: free disk space and try again', { cause: error });
  return error;
}

async function openFile(data: string): Promise<Database> {
  const file = join(resolve(data), 'svc.sqlite');
  if (!existsSync(file))
    throw new AdminFault(`found no ${file}: name the data folder of a service that was started once, with --data`);
  const patience = createPatience();
  patience.end(lockedMs);
  try {
    return await openDatabase(file, { patience });
  } catch (error) {
    throw asFault(error);
  }
}

async function openAddress(address: string): Promise<Database> {
  try {
    return await openDatabase(address);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new AdminFault(`found no database that can be used at --database: ${error.message}`, { cause: error });
  }
}
