import { tokenHash, type TokenRow, type AccessTokens } from '#lib/vault.ts';
import type { BrowserStatus, SessionStatus } from '#generated/states.ts';
import type { Executor } from '../executor.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { forgetOverwritten } from './erase-session.ts';

/** The session or browser that a live view token grants access to. */
export type LiveTarget = LiveAccessRow &
  (
    | { readonly kind: 'session'; readonly status: SessionStatus }
    | { readonly kind: 'browser'; readonly status: BrowserStatus }
  );

interface LiveAccessRow extends TokenRow {
  /**
   * Kind of URL that contains the token: `control` for the live URL in API responses, `view` for the view-only URL,
   * `share` for the public share of a session.
   */
  readonly right: 'control' | 'view' | 'share';
  /** Process that owns the session or browser; null without an owner, and in a single-process service. */
  readonly owner: string | null;
  /** Public URL of the current or last owner; null if no process ever owned the session or browser. */
  readonly ownerUrl: string | null;
}

/** Finds the session or browser of a token in any state; null for an unknown token and for deleted sessions. */
export async function findLiveTarget(db: Executor, token: string): Promise<LiveTarget | null> {
  const hash = tokenHash(token);
  return (await findSession(db, hash)) ?? (await findBrowser(db, hash)) ?? findSharedSession(db, hash);
}

async function findSession(db: Executor, hash: string): Promise<LiveTarget | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['id', 'status', 'liveHash', 'sealedTokens', 'owner', 'ownerUrl'])
    .where((eb) => eb.or([eb('liveHash', '=', hash), eb('viewHash', '=', hash)]))
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : { kind: 'session', status: row.status, ...toLiveAccess(row, hash) };
}

async function findBrowser(db: Executor, hash: string): Promise<LiveTarget | null> {
  const row = await db
    .selectFrom('browsers')
    .select(['id', 'status', 'liveHash', 'sealedTokens', 'owner', 'ownerUrl'])
    .where((eb) => eb.or([eb('liveHash', '=', hash), eb('viewHash', '=', hash)]))
    .executeTakeFirst();
  return row === undefined ? null : { kind: 'browser', status: row.status, ...toLiveAccess(row, hash) };
}

async function findSharedSession(db: Executor, hash: string): Promise<LiveTarget | null> {
  const row = await db
    .selectFrom('shares')
    .innerJoin('sessions', 'sessions.id', 'shares.sessionId')
    .select(['sessions.id', 'sessions.status', 'sessions.sealedTokens', 'sessions.owner', 'sessions.ownerUrl'])
    .where('shares.shareHash', '=', hash)
    .where('sessions.deletedAt', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { ...row, kind: 'session', right: 'share' };
}

interface OwnedTokenRow extends TokenRow {
  readonly liveHash: string;
  readonly owner: string | null;
  readonly ownerUrl: string | null;
}

function toLiveAccess(row: OwnedTokenRow, hash: string): LiveAccessRow {
  const { id, sealedTokens, owner, ownerUrl, liveHash: control } = row;
  return { id, sealedTokens, right: hash === control ? 'control' : 'view', owner, ownerUrl };
}

const atOnce = 500;

const rowsWithTokens = [
  { table: 'sessions', key: 'id', uses: ['live', 'view'] },
  { table: 'browsers', key: 'id', uses: ['cdp', 'live', 'view'] },
  { table: 'shares', key: 'sessionId', uses: ['share'] },
] as const;

/**
 * Encrypts access tokens that an earlier release stored in clear text, so that their URLs stay valid. Returns the
 * number of changed rows. Idempotent, also across processes.
 */
export async function sealClearTokens(db: Database, tokens: AccessTokens): Promise<number> {
  let sealed = 0;
  for (const rows of rowsWithTokens) {
    const sealSome = (): Promise<number> =>
      inTransaction(db, (trx) => sealRows(trx, tokens, rows), { of: 'everything' });
    for (let found = await sealSome(); found > 0; found = await sealSome()) sealed += found;
  }
  if (sealed > 0) await forgetOverwritten(db);
  return sealed;
}

async function sealRows(
  trx: Transaction,
  tokens: AccessTokens,
  { table, key, uses }: (typeof rowsWithTokens)[number],
): Promise<number> {
  const clear = uses.map((use) => sql`${sql.ref(`${use}Hash`)} as ${sql.ref(use)}`);
  const { rows } = await sql<Record<string, string>>`select ${sql.ref(key)} as id, ${sql.join(clear)}
    from ${sql.table(table)} where sealed_tokens is null limit ${sql.lit(atOnce)}`.execute(trx);
  for (const { id = '', ...found } of rows) {
    const columns = Object.entries(tokens.seal(id, found));
    const set = columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
    await sql`update ${sql.table(table)} set ${sql.join(set)} where ${sql.ref(key)} = ${id}`.execute(trx);
  }
  return rows.length;
}
