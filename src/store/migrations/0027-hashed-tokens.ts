import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Access tokens stand as hashes and sealed, and logins to the console have a second secret. Tokens of earlier releases are still in clear in the
 * columns of hashes until the service, which has the key, seals them at its start (`seal-clear-tokens.ts`). Logins of before are ended.
 */
export const hashedTokens: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const { table, tokens } of tokenColumns) {
      for (const token of tokens)
        await db.schema.alterTable(table).renameColumn(token, `${uses[token]}_hash`).execute();
      await db.schema.alterTable(table).addColumn('sealed_tokens', 'text').execute();
      // Empty but for the first start: it finds what is to be sealed without reading the table.
      await sql`create index ${sql.ref(`${table}_in_clear`)} on ${sql.table(table)} (sealed_tokens) where sealed_tokens is null`.execute(
        db,
      );
    }
    await db.schema
      .alterTable('console_sessions')
      .addColumn('csrf_hash', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`delete from console_sessions`.execute(db);
  },
};

const uses = { cdp_token: 'cdp', live_token: 'live', view_token: 'view', token: 'share' } as const;

const tokenColumns = [
  { table: 'sessions', tokens: ['live_token', 'view_token'] },
  { table: 'browsers', tokens: ['cdp_token', 'live_token', 'view_token'] },
  { table: 'shares', tokens: ['token'] },
] as const;
