/*
 * Keys of model providers that projects have stored (own keys). The engine reads them for each run, V3 before a
 * dispatch, and `svc admin provider-key` changes them. A key is encrypted at rest and sent to its provider only; lists
 * show its last four characters.
 */

import type { Vault } from '#lib/vault.ts';
import { deleteProviderKey, findProviderKey, listProviderKeys, setProviderKey } from '#store/queries/keys.ts';
import type { Executor } from '#store/executor.ts';

/** A stored provider key without the key itself. */
export interface ShownProviderKey {
  readonly provider: string;
  /** The last four characters of the key. */
  readonly lastFour: string;
  /** Time at which the key was stored, in milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/**
 * Provider keys of projects, one per provider. Each call reads the database, because another process may change the
 * keys.
 */
export interface ProviderKeys {
  /** Stores a key and replaces an earlier key for the provider. `nowMs` is milliseconds since the epoch. */
  set(projectId: string, key: { provider: string; key: string; nowMs: number }): Promise<void>;
  /**
   * Returns all keys of a project, ordered by provider. Rejects if the encryption secret of the service cannot decrypt
   * a key.
   */
  list(projectId: string): Promise<ShownProviderKey[]>;
  /** Removes a key; returns false when no key is stored. */
  remove(projectId: string, provider: string): Promise<boolean>;
  has(projectId: string, provider: string): Promise<boolean>;
  /** Returns the key itself; null without a stored key. The key may be sent to its provider only. */
  readKey(projectId: string, provider: string): Promise<string | null>;
}

const shownCharacters = 4;

/** Creates the store of provider keys, each encrypted in the database and bound to its project and provider. */
export function createProviderKeys(db: Executor, vault: Vault): ProviderKeys {
  return {
    set: (projectId, { provider, key, nowMs }) =>
      setProviderKey(db, projectId, {
        provider,
        ciphertext: vault.seal(key, sealingOwner(projectId, provider)),
        createdAtMs: nowMs,
      }),
    async list(projectId) {
      const keys = await listProviderKeys(db, projectId);
      return keys.map(({ provider, ciphertext, createdAtMs }) => ({
        provider,
        lastFour: vault.open(ciphertext, sealingOwner(projectId, provider)).slice(-shownCharacters),
        createdAtMs,
      }));
    },
    remove: (projectId, provider) => deleteProviderKey(db, projectId, provider),
    has: async (projectId, provider) => (await findProviderKey(db, projectId, provider)) !== null,
    async readKey(projectId, provider) {
      const ciphertext = await findProviderKey(db, projectId, provider);
      return ciphertext === null ? null : vault.open(ciphertext, sealingOwner(projectId, provider));
    },
  };
}

function sealingOwner(projectId: string, provider: string): string {
  return `provider key of ${provider} for ${projectId}`;
}
