import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, openDatabase } from '#backend/storage/database.ts';
import { AdminFault } from './admin-fault.ts';

/**
 * Opens the database of a data folder, which a running service may be using, for as long as the work lasts. Rejects with an
 * {@link AdminFault} where there is none.
 */
export async function withDatabase<Result>(data: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const file = join(resolve(data), 'svc.sqlite');
  if (!existsSync(file))
    throw new AdminFault(`found no ${file}: name the data folder of a service that was started once, with --data`);
  const db = await openDatabase(file);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
