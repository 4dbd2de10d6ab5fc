/*
 * Keys of model providers that a project has stored to be served with (own keys). Called by the engine for each run, by V3 before a
 * dispatch, and by `svc admin provider-key`. Must not show a key to anybody but the provider: it is sealed at rest, and only its last
 * four characters are listed.
 */

import type { Vault } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';

/** A stored key as it may be shown. */
export interface ShownProviderKey {
  readonly provider: string;
  /** Its last four characters. */
  readonly lastFour: string;
  /** When it was stored, in milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** The keys of model providers that projects have stored, one for each provider. Read anew each time: another process may change them. */
export interface ProviderKeys {
  /** Stores a key in place of an earlier one. `nowMs` is milliseconds since the epoch. */
  set(projectId: string, key: { provider: string; key: string; nowMs: number }): Promise<void>;
  /** All keys of a project, by provider. Throws for a key that cannot be opened with the secret of this data folder. */
  list(projectId: string): Promise<ShownProviderKey[]>;
  /** False when there was none. */
  remove(projectId: string, provider: string): Promise<boolean>;
  has(projectId: string, provider: string): Promise<boolean>;
  /** The key itself, for a request to its provider and for nothing else; null for none. */
  keyOf(projectId: string, provider: string): Promise<string | null>;
}

const shownCharacters = 4;

/** Keys lie sealed in the database, each bound to its project and provider. */
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
