import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createBackup, restoreBackup } from '#platform/backup/backup.ts';
import { makeDatabase } from './postgres/make-database.ts';
import type { StartedBackend } from './start-backend.ts';

/** Copy of the state of a service, as the service would leave it if it was killed with SIGKILL. */
export interface CopiedState {
  readonly dataFolder: string;
  /** Value for `openDatabase`. */
  readonly database: string;
  remove(): void;
}

/** Copies the state of a running service without any clean-up. */
export async function copyState({ dataFolder: from, database }: StartedBackend): Promise<CopiedState> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'svc-again-'));
  const remove = (): void => rmSync(dataFolder, { recursive: true, force: true });
  const server = process.env['SVC_TEST_DATABASE'];
  if (server === undefined) {
    for (const file of ['svc.sqlite', 'svc.sqlite-wal', 'signing-secret', 'sealing-secret'])
      copyFileSync(join(from, file), join(dataFolder, file));
    return { dataFolder, database: join(dataFolder, 'svc.sqlite'), remove };
  }
  const copy = await makeDatabase(server, basename(dataFolder));
  const backup = `${dataFolder}-backup`;
  await createBackup({ dataFolder: from, database, folder: backup, bucket: null, nowMs: 0 });
  await restoreBackup({ folder: backup, dataFolder, database: copy });
  rmSync(backup, { recursive: true });
  return { dataFolder, database: copy, remove };
}
