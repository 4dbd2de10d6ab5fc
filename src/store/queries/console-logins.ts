import { flag } from '../tables/values.ts';
import type { Executor } from '../executor.ts';

/** A login to the console as it is stored: hashes of its two secrets. Times are milliseconds since the epoch. */
export interface StoredLogin {
  readonly cookieHash: string;
  readonly csrfHash: string;
  readonly projectId: string;
  /** Hash of the API key that opened it; null for a login by link. */
  readonly keyHash: string | null;
  /** Whether it may change credit and limits, and switch projects. */
  readonly isOperator: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Inserts a login, and deletes expired ones. */
export async function insertLogin(db: Executor, login: StoredLogin): Promise<void> {
  await db.deleteFrom('console_sessions').where('expires_at', '<=', login.createdAtMs).execute();
  await db
    .insertInto('console_sessions')
    .values({
      hash: login.cookieHash,
      csrf_hash: login.csrfHash,
      project_id: login.projectId,
      key_hash: login.keyHash,
      is_operator: flag(login.isOperator),
      created_at: login.createdAtMs,
      expires_at: login.expiresAtMs,
    })
    .execute();
}

/** A login that has not expired, with the settings of its project. */
export interface FoundLogin {
  readonly projectId: string;
  readonly isOperator: boolean;
  readonly expiresAtMs: number;
  readonly zeroDataRetention: boolean;
  /** Whether it may create, confirm and end schedules: an operator, and a key with that right. */
  readonly maySchedule: boolean;
  readonly limits: { readonly sessionsMax: number | null; readonly requestsPerSecond: number | null };
}

/** Returns the login with both hashes; null when it has expired or ended, or its API key is not accepted any more. */
export async function findLogin(
  db: Executor,
  { cookieHash, csrfHash }: Pick<StoredLogin, 'cookieHash' | 'csrfHash'>,
  nowMs: number,
): Promise<FoundLogin | null> {
  const row = await db
    .selectFrom('console_sessions as session')
    .innerJoin('projects', 'projects.id', 'session.project_id')
    .leftJoin('api_keys', 'api_keys.hash', 'session.key_hash')
    .select(['session.project_id', 'is_operator', 'session.expires_at', 'zero_data_retention'])
    .select(['sessions_max', 'requests_per_second', 'may_schedule'])
    .where('session.hash', '=', cookieHash)
    .where('session.csrf_hash', '=', csrfHash)
    .where('session.expires_at', '>', nowMs)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', nowMs)]))
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    projectId: row.project_id,
    isOperator: row.is_operator === 1,
    expiresAtMs: row.expires_at,
    zeroDataRetention: row.zero_data_retention === 1,
    maySchedule: row.is_operator === 1 || row.may_schedule === 1,
    limits: { sessionsMax: row.sessions_max, requestsPerSecond: row.requests_per_second },
  };
}

/** Moves the login of an operator to another project; does nothing for a login by an API key. */
export async function moveLogin(db: Executor, cookieHash: string, projectId: string): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ project_id: projectId })
    .where('hash', '=', cookieHash)
    .where('is_operator', '=', 1)
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

/** Inserts a link, and deletes expired ones. */
export async function insertLink(db: Executor, link: StoredLink): Promise<void> {
  await db.deleteFrom('console_links').where('expires_at', '<=', link.createdAtMs).execute();
  await db
    .insertInto('console_links')
    .values({
      hash: link.hash,
      project_id: link.projectId,
      created_at: link.createdAtMs,
      expires_at: link.expiresAtMs,
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
    .where('expires_at', '>', nowMs)
    .returning('project_id')
    .executeTakeFirst();
  return row?.project_id ?? null;
}
