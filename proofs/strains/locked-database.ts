import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Strain } from './strain.ts';

/** The lock of this process, which is another one than the service, on the database in a data folder. */
export function lockDatabase(dataFolder: string): Strain {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { timeout: 10_000 });
  return {
    name: 'exclusive lock',
    what: '`BEGIN EXCLUSIVE` of another process',
    refusals: [503],
    lastsMs: [50, 4_000],
    begin: async () => database.exec('begin exclusive'),
    end: async () => database.exec('rollback'),
    remove: () => database.close(),
  };
}
