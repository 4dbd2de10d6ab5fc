import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, openDatabase } from '#backend/storage/database.ts';
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
  } finally {
    await db.destroy();
  }
}

function openFile(data: string): Promise<Database> {
  const file = join(resolve(data), 'svc.sqlite');
  if (!existsSync(file))
    throw new AdminFault(`found no ${file}: name the data folder of a service that was started once, with --data`);
  return openDatabase(file);
}

async function openAddress(address: string): Promise<Database> {
  try {
    return await openDatabase(address);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new AdminFault(`found no database that can be used at --database: ${error.message}`, { cause: error });
  }
}
