/*
 * Secrets that projects have stored for integrations, such as tokens of their accounts. A secret is encrypted at rest
 * and sent to the server of its integration only. No list shows a value.
 */

import type { Vault } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';
import {
  deleteIntegrationSecret,
  listIntegrationSecrets,
  type SecretsPlace,
  setIntegrationSecret,
} from '#store/queries/integrations.ts';

/** A secret with its value. */
export interface StoredSecret {
  readonly name: string;
  readonly value: string;
}

/**
 * Secrets of projects for integrations. Each call reads the database, because another process may change the secrets.
 */
export interface IntegrationSecrets {
  /** Stores a secret and replaces its earlier value. `nowMs` is milliseconds since the epoch. */
  set(place: SecretsPlace, secret: StoredSecret & { readonly nowMs: number }): Promise<void>;
  /** Returns the names of the stored secrets. */
  names(place: SecretsPlace): Promise<string[]>;
  /** Returns the secrets with their values. Rejects if the encryption secret of the service cannot decrypt a value. */
  read(place: SecretsPlace): Promise<StoredSecret[]>;
  /** Removes a secret; returns false when none is stored. */
  remove(place: SecretsPlace, name: string): Promise<boolean>;
}

/** Creates the store of secrets, each encrypted in the database and bound to its project and integration. */
export function createIntegrationSecrets(db: Database, vault: Pick<Vault, 'seal' | 'open'>): IntegrationSecrets {
  return {
    set: (place, { name, value, nowMs }) =>
      setIntegrationSecret(db, place, { name, ciphertext: vault.seal(value, sealingOwner(place, name)), nowMs }),
    names: async (place) => (await listIntegrationSecrets(db, place)).map(({ name }) => name),
    async read(place) {
      const secrets = await listIntegrationSecrets(db, place);
      return secrets.map(({ name, ciphertext }) => ({
        name,
        value: vault.open(ciphertext, sealingOwner(place, name)),
      }));
    },
    remove: (place, name) => deleteIntegrationSecret(db, place, name),
  };
}

function sealingOwner({ projectId, integration }: SecretsPlace, name: string): string {
  return `secret ${name} of ${integration} for ${projectId}`;
}
