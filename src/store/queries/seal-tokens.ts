import { sql } from 'kysely';
import type { AccessTokens } from '#lib/vault.ts';
import type { Database } from '../database.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { forgetOverwritten } from './erase-session.ts';

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
