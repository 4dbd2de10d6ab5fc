import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect-of.ts';

/** A second address for each live view, at which nothing can be done. Sessions and browsers from before get one too. */
export const viewOnlyAddresses: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['sessions', 'browsers']) {
      await db.schema
        .alterTable(table)
        .addColumn('view_token', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
      await sql`update ${sql.table(table)} set view_token = ${randomToken(db)}`.execute(db);
      await db.schema.createIndex(`${table}_by_view_token`).on(table).column('view_token').unique().execute();
    }
  },
};

/** As long as the tokens that the service makes itself, in the words of the database. */
function randomToken(db: Kysely<unknown>): RawBuilder<string> {
  if (dialectOf(db) === 'sqlite') return sql`lower(hex(randomblob(24)))`;
  return sql`left(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 48)`;
}
