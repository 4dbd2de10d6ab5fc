import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A second address for each live view, at which nothing can be done. Sessions and browsers from before get one too. */
export const viewOnlyAddresses: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['sessions', 'browsers']) {
      await db.schema
        .alterTable(table)
        .addColumn('view_token', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
      // As long as the tokens that the service makes itself.
      await sql`update ${sql.table(table)} set view_token = lower(hex(randomblob(24)))`.execute(db);
      await db.schema.createIndex(`${table}_by_view_token`).on(table).column('view_token').unique().execute();
    }
  },
};
