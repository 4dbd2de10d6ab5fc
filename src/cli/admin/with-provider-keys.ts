import { resolve } from 'node:path';
import { sealingSecret } from '#store/data-folder.ts';
import { type ProviderKeys, createProviderKeys } from '#accounts/provider-keys.ts';
import { createVault } from '#lib/vault.ts';
import { readSecrets } from '../serve/read-files.ts';
import { AdminFault, chooseProject, type Place, withDatabase } from './admin-database.ts';

/** Location of the database and the project whose keys are used. */
export interface KeysOf extends Place {
  /** Id or name of the project. @defaultValue the only project */
  readonly project?: string;
  /** File of the secret that all processes of the service share. @defaultValue the secret of the data folder */
  readonly secretFile?: string;
}

/** Runs work with the provider keys of a data folder. Rejects with an AdminFault when they cannot be decrypted. */
export async function withProviderKeys<Result>(
  { project, secretFile, ...place }: KeysOf,
  work: (keys: ProviderKeys, projectId: string) => Promise<Result>,
): Promise<Result> {
  const shared = secretFile === undefined ? null : await sharedSecret(secretFile);
  return withDatabase(place, async (db) => {
    // Runs after the database was opened, so that a misspelt folder gets no new secret.
    const vault = createVault(shared ?? sealingSecret(resolve(place.data)));
    return work(createProviderKeys(db, vault), await chooseProject(db, project));
  });
}

async function sharedSecret(file: string): Promise<Uint8Array> {
  try {
    return (await readSecrets(file)).sealing;
  } catch (error) {
    throw error instanceof Error ? new AdminFault(error.message, { cause: error }) : error;
  }
}
