import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Database } from '../database.ts';
import { prepared } from '../prepare.ts';
import type { ApiKeyTable } from '../tables/accounts.ts';
import { flag } from '../tables/values.ts';
import { inTransaction } from '../transaction.ts';
import { type Grant, grantToProject, insertProject } from './projects.ts';
import type { Executor } from '../executor.ts';

/** An API key as it is stored: its hash, never the key. Times are milliseconds since the epoch. */
export interface StoredKey {
  /** SHA-256 of the key in hexadecimal digits. */
  readonly hash: string;
  /** The first characters of the key. */
  readonly prefix: string;
  readonly name: string | null;
  readonly projectId: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  /** Time of expiry; null for a key that does not expire. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Whether the key may create, confirm and end schedules. */
  readonly maySchedule: boolean;
  /** Maximum spend in a calendar month in micro-dollars; null for no maximum. */
  readonly monthlyMicros: number | null;
}

/** Values of a new API key. */
export type NewStoredKey = Omit<StoredKey, 'lastUsedAtMs' | 'revokedAtMs' | 'monthlyMicros'> &
  Partial<Pick<StoredKey, 'monthlyMicros'>>;

/**
 * Returns one row with the key of a hash and the limits of its project, also for an expired key. Returns no row for an
 * unknown or revoked key.
 */
export function findAcceptedKey(db: Executor, hash: string): MaybePromise<readonly AcceptedKeyRow[]> {
  return acceptedKey.read(db, { hash });
}

const acceptedKey = prepared<{ readonly hash: string }, AcceptedKeyRow>(['hash'], (db, { hash }) =>
  db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.projectId')
    .select(['projectId', 'zeroDataRetention', 'lastUsedAt', 'sessionsMax', 'requestsPerSecond', 'expiresAt'])
    .select(['maySchedule', 'monthlyMicros'])
    .where('hash', '=', hash)
    .where('revokedAt', 'is', null),
);

/** Columns of a key that was not revoked, and of the limits of its project. */
export interface AcceptedKeyRow {
  readonly projectId: string;
  readonly zeroDataRetention: 0 | 1;
  readonly lastUsedAt: number | null;
  readonly sessionsMax: number | null;
  readonly requestsPerSecond: number | null;
  readonly expiresAt: number | null;
  readonly maySchedule: 0 | 1;
  readonly monthlyMicros: number | null;
}

/** Records when a key was last used. */
export async function recordKeyUse(db: Executor, hash: string, usedAtMs: number): Promise<void> {
  await db.updateTable('api_keys').set({ lastUsedAt: usedAtMs }).where('hash', '=', hash).execute();
}

/** Returns whether any key was ever issued, revoked and expired ones included. */
export async function hasKeys(db: Executor): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('hash').limit(1).executeTakeFirst()) !== undefined;
}

/** Inserts a key and returns it. */
export async function insertKey(db: Executor, key: NewStoredKey): Promise<StoredKey> {
  const row = {
    hash: key.hash,
    prefix: key.prefix,
    projectId: key.projectId,
    name: key.name,
    createdAt: key.createdAtMs,
    expiresAt: key.expiresAtMs,
    maySchedule: flag(key.maySchedule),
    monthlyMicros: key.monthlyMicros ?? null,
  };
  return toKey(await db.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow());
}

/** Returns the keys of a project, or of all projects for null; the oldest first. */
export async function listKeys(db: Executor, projectId: string | null): Promise<StoredKey[]> {
  const all = db.selectFrom('api_keys').selectAll().orderBy('createdAt').orderBy('hash');
  const rows = await (projectId === null ? all : all.where('projectId', '=', projectId)).execute();
  return rows.map(toKey);
}

/**
 * Revokes the key whose hash begins with `hashStart` in hexadecimal. A key that was revoked earlier keeps its time of
 * revocation. Returns the key, or null for an unknown key. `hashStart` must be unambiguous.
 */
export async function revokeKey(db: Executor, hashStart: string, nowMs: number): Promise<StoredKey | null> {
  await db
    .updateTable('api_keys')
    .set({ revokedAt: nowMs })
    .where(hasHashStart(hashStart))
    .where('revokedAt', 'is', null)
    .execute();
  const row = await db.selectFrom('api_keys').selectAll().where(hasHashStart(hashStart)).executeTakeFirst();
  return row === undefined ? null : toKey(row);
}

/**
 * Sets the monthly spend limit of the key whose hash begins with `hashStart`; null removes the limit. Returns the key,
 * or null for an unknown key.
 */
export async function limitKey(db: Executor, hashStart: string, micros: number | null): Promise<StoredKey | null> {
  const row = await db
    .updateTable('api_keys')
    .set({ monthlyMicros: micros })
    .where(hasHashStart(hashStart))
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toKey(row);
}

/**
 * Returns the monthly spend limit of the key whose hash begins with `hashStart`, in micro-dollars; null without a limit
 * and for an unknown key.
 */
export async function keyLimit(db: Executor, hashStart: string): Promise<number | null> {
  const query = db.selectFrom('api_keys').select('monthlyMicros').where(hasHashStart(hashStart));
  return (await query.executeTakeFirst())?.monthlyMicros ?? null;
}

/**
 * Returns the condition that the hash of a key begins with `hashStart`, in hexadecimal digits. It is a range, because
 * no index finds the rows of a `like`.
 */
export function hasHashStart(hashStart: string): RawBuilder<SqlBool> {
  // Sorts after every hash with this beginning.
  const end = `${hashStart}g`;
  return sql<SqlBool>`hash >= ${hashStart} and hash < ${end}`;
}

/** A new key and its new project. */
export interface KeyWithProject {
  readonly key: NewStoredKey;
  readonly projectName: string;
  readonly grant: Grant;
}

/**
 * Inserts a key and a new project for it. If the key exists, leaves the key unchanged and applies the grant to its
 * project.
 */
export function insertKeyWithProject(db: Database, { key, projectName, grant }: KeyWithProject): Promise<void> {
  return inTransaction(
    db,
    async (trx) => {
      const query = trx.selectFrom('api_keys').select('projectId').where('hash', '=', key.hash);
      const known = await query.executeTakeFirst();
      if (known !== undefined) return grantToProject(trx, known.projectId, grant);
      await insertProject(trx, { id: key.projectId, name: projectName, grant, nowMs: key.createdAtMs });
      await insertKey(trx, key);
    },
    { of: [key.hash] },
  );
}

function toKey(row: Selectable<ApiKeyTable>): StoredKey {
  return {
    hash: row.hash,
    prefix: row.prefix,
    name: row.name,
    projectId: row.projectId,
    createdAtMs: row.createdAt,
    lastUsedAtMs: row.lastUsedAt,
    expiresAtMs: row.expiresAt,
    revokedAtMs: row.revokedAt,
    maySchedule: row.maySchedule === 1,
    monthlyMicros: row.monthlyMicros,
  };
}

/** An encrypted key of a model provider. */
export interface SealedProviderKey {
  readonly provider: string;
  readonly ciphertext: string;
  /** Time at which the key was stored, in milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** Stores the key of a project for a provider, in place of an earlier key for the same provider. */
export async function setProviderKey(db: Executor, projectId: string, key: SealedProviderKey): Promise<void> {
  const sealed = { ciphertext: key.ciphertext, createdAt: key.createdAtMs };
  await db
    .insertInto('provider_keys')
    .values({ projectId, provider: key.provider, ...sealed })
    .onConflict((conflict) => conflict.columns(['projectId', 'provider']).doUpdateSet(sealed))
    .execute();
}

/** Returns the provider keys of a project, sorted by provider. */
export async function listProviderKeys(db: Executor, projectId: string): Promise<SealedProviderKey[]> {
  const query = db.selectFrom('provider_keys').selectAll().where('projectId', '=', projectId).orderBy('provider');
  return (await query.execute()).map(({ provider, ciphertext, createdAt: createdAtMs }) => ({
    provider,
    ciphertext,
    createdAtMs,
  }));
}

/** Returns the encrypted provider key of a project, or null. */
export async function findProviderKey(db: Executor, projectId: string, provider: string): Promise<string | null> {
  const row = await db
    .selectFrom('provider_keys')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row?.ciphertext ?? null;
}

/** Deletes the provider key of a project; false when the project has no such key. */
export async function deleteProviderKey(db: Executor, projectId: string, provider: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('provider_keys')
    .where('projectId', '=', projectId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}
