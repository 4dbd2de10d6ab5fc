import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sealingSecret } from '#backend/public/signing-secret.ts';
import { type ProviderKeys, createProviderKeys } from '#backend/provider-keys/index.ts';
import { createVault } from '#backend/secrets/index.ts';
import { openDatabase } from '#backend/storage/database.ts';
import { AdminFault } from './admin-fault.ts';
import { chooseProject } from './choose-project.ts';

/** Whose keys are meant. */
export interface KeysOf {
  /** Data folder of the service, which may be running. */
  readonly data: string;
  /** Id or name of the project; @defaultValue the only one */
  readonly project?: string;
}

/** Opens the provider keys of a data folder for as long as the work lasts. Rejects with an {@link AdminFault} where there are none to open. */
export async function withProviderKeys<Result>(
  { data, project }: KeysOf,
  work: (keys: ProviderKeys, projectId: string) => Promise<Result>,
): Promise<Result> {
  const folder = resolve(data);
  const file = join(folder, 'svc.sqlite');
  if (!existsSync(file))
    throw new AdminFault(`found no ${file}: name the data folder of a service that was started once, with --data`);
  const db = await openDatabase(file);
  try {
    return await work(createProviderKeys(db, createVault(sealingSecret(folder))), await chooseProject(db, project));
  } finally {
    await db.destroy();
  }
}
