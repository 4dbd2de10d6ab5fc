import { flag } from '../tables/values.ts';
import type { Executor } from '../executor.ts';

/** A login to the console as it is stored: hashes of its two secrets. Times are milliseconds since the epoch. */
export interface StoredLogin {
  readonly cookieHash: string;
  readonly csrfHash: string;
  readonly projectId: string;
  /** Hash of the API key that opened the login; null for a login by link. */
  readonly keyHash: string | null;
  /** Whether the login may change credit and limits, and switch projects. */
  readonly isOperator: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Inserts a login, and deletes expired logins. */
export async function insertLogin(db: Executor, login: StoredLogin): Promise<void> {
  await db.deleteFrom('console_sessions').where('expiresAt', '<=', login.createdAtMs).execute();
  await db
    .insertInto('console_sessions')
    .values({
      hash: login.cookieHash,
      csrfHash: login.csrfHash,
      projectId: login.projectId,
      keyHash: login.keyHash,
      isOperator: flag(login.isOperator),
      createdAt: login.createdAtMs,
      expiresAt: login.expiresAtMs,
    })
    .execute();
}

/** A login that has not expired, with the settings of its project. */
export interface FoundLogin {
  readonly projectId: string;
  readonly isOperator: boolean;
  readonly expiresAtMs: number;
  readonly zeroDataRetention: boolean;
  /**
   * Whether the login may create, confirm and end schedules: a login by link may, and a login by key if the key has
   * this right.
   */
  readonly maySchedule: boolean;
  /** Hash of the API key that the user entered; null for a login by link. */
  readonly keyHash: string | null;
  /** Monthly spend limit of the API key in micro-dollars; null for no limit, and for a login by link. */
  readonly monthlyMicros: number | null;
  readonly limits: { readonly sessionsMax: number | null; readonly requestsPerSecond: number | null };
}

/**
 * Returns the login with both hashes; null when the login has expired or ended, or its API key is not accepted any
 * more.
 */
export async function findLogin(
  db: Executor,
  { cookieHash, csrfHash }: Pick<StoredLogin, 'cookieHash' | 'csrfHash'>,
  nowMs: number,
): Promise<FoundLogin | null> {
  const row = await db
    .selectFrom('console_sessions as session')
    .innerJoin('projects', 'projects.id', 'session.projectId')
    .leftJoin('api_keys', 'api_keys.hash', 'session.keyHash')
    .select(['session.projectId', 'isOperator', 'session.expiresAt', 'zeroDataRetention'])
    .select(['sessionsMax', 'requestsPerSecond', 'keyHash', 'maySchedule', 'monthlyMicros'])
    .where('session.hash', '=', cookieHash)
    .where('session.csrfHash', '=', csrfHash)
    .where('session.expiresAt', '>', nowMs)
    .where('revokedAt', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expiresAt', 'is', null), eb('api_keys.expiresAt', '>', nowMs)]))
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    projectId: row.projectId,
    isOperator: row.isOperator === 1,
    expiresAtMs: row.expiresAt,
    zeroDataRetention: row.zeroDataRetention === 1,
    maySchedule: row.isOperator === 1 || row.maySchedule === 1,
    keyHash: row.keyHash,
    monthlyMicros: row.monthlyMicros,
    limits: { sessionsMax: row.sessionsMax, requestsPerSecond: row.requestsPerSecond },
  };
}

/** Moves the login of an operator to another project; does nothing for any other login. */
export async function moveLogin(db: Executor, cookieHash: string, projectId: string): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ projectId })
    .where('hash', '=', cookieHash)
    .where('isOperator', '=', 1)
    .execute();
}

/** Deletes a login. */
export async function deleteLogin(db: Executor, cookieHash: string): Promise<void> {
  await db.deleteFrom('console_sessions').where('hash', '=', cookieHash).execute();
}

/** A one-time link to the console as it is stored. Times are milliseconds since the epoch. */
export interface StoredLink {
  readonly hash: string;
  readonly projectId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Inserts a link, and deletes expired links. */
export async function insertLink(db: Executor, link: StoredLink): Promise<void> {
  await db.deleteFrom('console_links').where('expiresAt', '<=', link.createdAtMs).execute();
  await db
    .insertInto('console_links')
    .values({
      hash: link.hash,
      projectId: link.projectId,
      createdAt: link.createdAtMs,
      expiresAt: link.expiresAtMs,
    })
    .execute();
}

/**
 * Deletes a link and returns its project; null for an unknown, used or expired link. One statement, so that concurrent
 * uses open one login.
 */
export async function takeLink(db: Executor, hash: string, nowMs: number): Promise<string | null> {
  const row = await db
    .deleteFrom('console_links')
    .where('hash', '=', hash)
    .where('expiresAt', '>', nowMs)
    .returning('projectId')
    .executeTakeFirst();
  return row?.projectId ?? null;
}
