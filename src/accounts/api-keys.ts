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

/** Makes a new key: prefix and 32 random bytes. It is shown once; only its hash is kept. */
export function newApiKey(): string {
  return `${keyPrefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/**
 * Makes a project of its own for a key, unless the key is known already, and gives it what is granted. A known key stays as it is: one
 * that has been revoked does not come back. Times are milliseconds since the epoch.
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

/** Whether any key was ever issued, whatever has become of it. */
export async function hasKeys(db: Database): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('hash').limit(1).executeTakeFirst()) !== undefined;
}

/** Every key starts with this (contract section 5; the value is the companion's). */
const keyPrefix = service.keyPrefix.value;

const shownCharacters = 8;
const keyIdCharacters = 16;

/** What is kept of a key: its SHA-256 in hexadecimal. A key has 256 random bits, so that nothing slower is needed. */
export function hashOf(key: string): string {
  return crypto.hash('sha256', key, 'hex');
}

/** Names a key without revealing it: the first 16 hexadecimal digits of its hash. */
export function keyIdOf(hash: string): string {
  return hash.slice(0, keyIdCharacters);
}

/** Whether a text has the form of such a name. */
function isKeyId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** The beginning of a key, by which its holder knows it again: the prefix of all keys and four characters. */
function shownPrefixOf(key: string): string {
  return key.slice(0, shownCharacters);
}

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
