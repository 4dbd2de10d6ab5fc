import * as crypto from 'node:crypto';
import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { service } from '#generated/rules.ts';
import type { Database } from '#store/database.ts';
import type { ApiKeyTable } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';
import { type Grant, grantColumns } from './balance.ts';

export type { Grant } from './balance.ts';

const secretBytes = 32;

/**
 * Generates a new API key: the prefix and 32 random bytes. The key is shown once; the database stores its hash only.
 */
export function newApiKey(): string {
  return `${keyPrefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/**
 * Creates a project for a key with its grant, unless the key already exists. An existing key stays unchanged: a revoked
 * key stays revoked. Times are milliseconds since the epoch.
 */
export async function bootstrapKey(
  db: Database,
  key: string,
  make: { newId: () => string; now: number; grant: Grant },
): Promise<void> {
  if (!key.startsWith(keyPrefix) || key.length <= keyPrefix.length) {
    throw new Error(
      `found a bootstrap key that does not start with "${keyPrefix}", expected ${keyPrefix} followed by the secret part`,
    );
  }
  await inTransaction(
    db,
    async (trx) => {
      const hash = hashOf(key);
      const granted = grantColumns(make.grant);
      const known = await trx.selectFrom('api_keys').select('project_id').where('hash', '=', hash).executeTakeFirst();
      if (known !== undefined) {
        if (Object.keys(granted).length > 0)
          await trx.updateTable('projects').set(granted).where('id', '=', known.project_id).execute();
        return;
      }
      const project = { id: make.newId(), name: `project of ${shownPrefixOf(key)}`, created_at: make.now };
      await trx
        .insertInto('projects')
        .values({ ...project, ...granted })
        .execute();
      await trx
        .insertInto('api_keys')
        .values({ hash, prefix: shownPrefixOf(key), project_id: project.id, created_at: make.now })
        .execute();
    },
    { of: [hashOf(key)] },
  );
}

/** Returns whether the database contains any key, revoked and expired keys included. */
export async function hasKeys(db: Database): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('hash').limit(1).executeTakeFirst()) !== undefined;
}

/** Prefix of every API key (contract section 5; its value comes from the companion). */
const keyPrefix = service.keyPrefix.value;

const shownCharacters = 8;
const keyIdCharacters = 16;

/**
 * Returns the stored hash of a key: its SHA-256 in hexadecimal. A key has 256 random bits, so that a slow hash function
 * is not needed.
 */
export function hashOf(key: string): string {
  return crypto.hash('sha256', key, 'hex');
}

/** Returns the public id of a key: the first 16 hexadecimal digits of its hash. */
export function keyIdOf(hash: string): string {
  return hash.slice(0, keyIdCharacters);
}

/** Returns whether a text has the form of a key id. */
function isKeyId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** Returns the visible beginning of a key, by which its holder recognises it: the prefix and four characters. */
function shownPrefixOf(key: string): string {
  return key.slice(0, shownCharacters);
}

/** Metadata of an API key, without the key; times are milliseconds since the epoch. */
export interface IssuedKey {
  /** The first 16 hexadecimal digits of the key's hash. */
  readonly id: string;
  /** The first 8 characters of the key. */
  readonly prefix: string;
  readonly name: string | null;
  readonly projectId: string;
  readonly createdAtMs: number;
  /** Time of the latest use, up to one minute late; null for an unused key. */
  readonly lastUsedAtMs: number | null;
  /** Time from which the key is rejected; null for a key that does not expire. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** Settings of a new key. */
export interface NewKey {
  readonly projectId: string;
  readonly name: string | null;
  readonly nowMs: number;
  readonly expiresAtMs: number | null;
}

/** All API keys of a database, revoked and expired keys included. */
export interface IssuedKeys {
  /** Creates a key and returns it. The key cannot be read again later. */
  issue(wanted: NewKey): Promise<{ readonly key: string; readonly issued: IssuedKey }>;
  /** Returns the keys of a project, or of all projects for null, oldest first. */
  list(projectId: string | null): Promise<IssuedKey[]>;
  /**
   * Revokes a key at once, in every process. The time of an earlier revocation stays. Returns null for an unknown id.
   */
  revoke(id: string, nowMs: number): Promise<IssuedKey | null>;
}

/** Creates access to the keys of a database, also while a service uses it. */
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
