import { resolve } from 'node:path';
import { sealingSecret } from '#backend/public/signing-secret.ts';
import { type ProviderKeys, createProviderKeys } from '#backend/provider-keys/index.ts';
import { createVault } from '#backend/secrets/index.ts';
import { chooseProject } from './choose-project.ts';
import { type Place, withDatabase } from './with-database.ts';

/** Whose keys are meant. */
export interface KeysOf extends Place {
  /** Id or name of the project; @defaultValue the only one */
  readonly project?: string;
}

/** Opens the provider keys of a data folder for as long as the work lasts. Rejects with an AdminFault where there are none to open. */
export function withProviderKeys<Result>(
  { project, ...place }: KeysOf,
  work: (keys: ProviderKeys, projectId: string) => Promise<Result>,
): Promise<Result> {
  return withDatabase(place, async (db) =>
    work(createProviderKeys(db, createVault(sealingSecret(resolve(place.data)))), await chooseProject(db, project)),
  );
}
