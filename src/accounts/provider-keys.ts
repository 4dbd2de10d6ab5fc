/*
 * Keys of model providers that projects have stored (own keys). The engine reads them for each run, V3 before a
 * dispatch, and `svc admin provider-key` changes them. A key is encrypted at rest and sent to its provider only; lists
 * show its last four characters.
 */

import type { Vault } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';

/** A stored provider key without the key itself. */
export interface ShownProviderKey {
  readonly provider: string;
  /** The last four characters of the key. */
  readonly lastFour: string;
  /** Time of storage, in milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/**
 * Provider keys of projects, one per provider. Each call reads the database, because another process may change them.
 */
export interface ProviderKeys {
  /** Stores a key and replaces an earlier one. `nowMs` is milliseconds since the epoch. */
  set(projectId: string, key: { provider: string; key: string; nowMs: number }): Promise<void>;
  /**
   * Returns all keys of a project, by provider. Throws for a key that the secret of this data folder cannot decrypt.
   */
  list(projectId: string): Promise<ShownProviderKey[]>;
  /** Removes a key; returns false when no key is stored. */
  remove(projectId: string, provider: string): Promise<boolean>;
  has(projectId: string, provider: string): Promise<boolean>;
  /** Returns the key itself, which may be sent to its provider only; null without a stored key. */
  keyOf(projectId: string, provider: string): Promise<string | null>;
}

const shownCharacters = 4;

/** Creates provider keys that are encrypted in the database, each bound to its project and provider. */
export function createProviderKeys(db: Database, vault: Vault): ProviderKeys {
  const rowOf = (projectId: string, provider: string) =>
    db
      .selectFrom('provider_keys')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('provider', '=', provider)
      .executeTakeFirst();
  return {
    async set(projectId, { provider, key, nowMs }) {
      const sealed = { ciphertext: vault.seal(key, ownerOf(projectId, provider)), created_at: nowMs };
      await db
        .insertInto('provider_keys')
        .values({ project_id: projectId, provider, ...sealed })
        .onConflict((conflict) => conflict.columns(['project_id', 'provider']).doUpdateSet(sealed))
        .execute();
    },
    async list(projectId) {
      const rows = await db
        .selectFrom('provider_keys')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('provider')
        .execute();
      return rows.map(({ provider, ciphertext, created_at: createdAtMs }) => ({
        provider,
        lastFour: vault.open(ciphertext, ownerOf(projectId, provider)).slice(-shownCharacters),
        createdAtMs,
      }));
    },
    async remove(projectId, provider) {
      const removed = await db
        .deleteFrom('provider_keys')
        .where('project_id', '=', projectId)
        .where('provider', '=', provider)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },
    has: async (projectId, provider) => (await rowOf(projectId, provider)) !== undefined,
    async keyOf(projectId, provider) {
      const row = await rowOf(projectId, provider);
      return row === undefined ? null : vault.open(row.ciphertext, ownerOf(projectId, provider));
    },
  };
}

function ownerOf(projectId: string, provider: string): string {
  return `provider key of ${provider} for ${projectId}`;
}
