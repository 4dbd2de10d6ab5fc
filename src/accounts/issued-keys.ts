import type { Selectable } from 'kysely';
import type { Database } from '#store/database.ts';
import type { ApiKeyTable } from '#store/schema.ts';
import { newApiKey } from './api-keys.ts';
import { hashOf, isKeyId, keyIdOf, shownPrefixOf } from './key-hash.ts';

/** A key as it may be shown; times are milliseconds since the epoch. */
export interface IssuedKey {
  /** The first 16 hexadecimal digits of its hash. */
  readonly id: string;
  /** Its first 8 characters. */
  readonly prefix: string;
  readonly name: string | null;
  readonly projectId: string;
  readonly createdAtMs: number;
  /** A use of the last minute may be missing. */
  readonly lastUsedAtMs: number | null;
  /** From then on it is refused; null for never. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** What a new key is made of. */
export interface NewKey {
  readonly projectId: string;
  readonly name: string | null;
  readonly nowMs: number;
  readonly expiresAtMs: number | null;
}

/** The keys that were issued, whatever has become of them. */
export interface IssuedKeys {
  /** Makes a key and answers with it, which is the only time that it can be read. */
  issue(wanted: NewKey): Promise<{ readonly key: string; readonly issued: IssuedKey }>;
  /** The keys of a project, or of all; the oldest first. */
  list(projectId: string | null): Promise<IssuedKey[]>;
  /** Ends a key at once, in every process; the time of an earlier revocation stays. Null when there is no key of that id. */
  revoke(id: string, nowMs: number): Promise<IssuedKey | null>;
}

/** The keys of a database, which a service may be using. */
export function createIssuedKeys(db: Database): IssuedKeys {
  return {
    async issue({ projectId, name, nowMs, expiresAtMs }) {
      const key = newApiKey();
      const row = await db
        .insertInto('api_keys')
        .values({
          hash: hashOf(key),
          prefix: shownPrefixOf(key),
          project_id: projectId,
          name,
          created_at: nowMs,
          expires_at: expiresAtMs,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return { key, issued: shown(row) };
    },
    async list(projectId) {
      const all = db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('hash');
      return (await (projectId === null ? all : all.where('project_id', '=', projectId)).execute()).map(shown);
    },
    async revoke(id, nowMs) {
      if (!isKeyId(id)) return null;
      await db
        .updateTable('api_keys')
        .set({ revoked_at: nowMs })
        .where('hash', 'like', `${id}%`)
        .where('revoked_at', 'is', null)
        .execute();
      const row = await db.selectFrom('api_keys').selectAll().where('hash', 'like', `${id}%`).executeTakeFirst();
      return row === undefined ? null : shown(row);
    },
  };
}

function shown(row: Selectable<ApiKeyTable>): IssuedKey {
  return {
    id: keyIdOf(row.hash),
    prefix: row.prefix,
    name: row.name,
    projectId: row.project_id,
    createdAtMs: row.created_at,
    lastUsedAtMs: row.last_used_at,
    expiresAtMs: row.expires_at,
    revokedAtMs: row.revoked_at,
  };
}
