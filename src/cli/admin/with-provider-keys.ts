import { resolve } from 'node:path';
import { sealingSecret } from '#backend/public/signing-secret.ts';
import { type ProviderKeys, createProviderKeys } from '#backend/provider-keys/index.ts';
import { createVault } from '#backend/secrets/index.ts';
import { chooseProject } from './choose-project.ts';
import { withDatabase } from './with-database.ts';

/** Whose keys are meant. */
export interface KeysOf {
  /** Data folder of the service, which may be running. */
  readonly data: string;
  /** Id or name of the project; @defaultValue the only one */
  readonly project?: string;
}

/** Opens the provider keys of a data folder for as long as the work lasts. Rejects with an AdminFault where there are none to open. */
export function withProviderKeys<Result>(
  { data, project }: KeysOf,
  work: (keys: ProviderKeys, projectId: string) => Promise<Result>,
): Promise<Result> {
  return withDatabase(data, async (db) =>
    work(createProviderKeys(db, createVault(sealingSecret(resolve(data)))), await chooseProject(db, project)),
  );
}
