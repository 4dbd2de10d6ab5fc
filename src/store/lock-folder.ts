import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';

/**
 * Takes a data folder for this process alone; the returned function gives it back, and so does the end of the process, however
 * it comes. Throws when another process has it, and keeps it for `patienceMs`: two services on one folder would end each other's sessions.
 */
export function lockFolder(folder: string, patienceMs = 0): () => void {
  makePrivateFolder(folder);
  const file = join(folder, 'lock.sqlite');
  makePrivateFile(file);
  // A database that holds nothing but its own write lock, which the operating system releases with the process.
  const lock = new DatabaseSync(file, { timeout: patienceMs });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw new Error(
      `found ${folder} in use by another service, expected a data folder of its own: choose another --data`,
      {
        cause: error,
      },
    );
  }
  return () => lock.close();
}
