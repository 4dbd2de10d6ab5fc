import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The processes of one service, and which of them has the browser of a session or a standalone browser. Nobody owns what exists. */
export const workers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('workers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('is_draining', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('heartbeat_at', 'bigint', (column) => column.notNull())
      .addColumn('buried_at', 'bigint')
      .execute();
    for (const table of ['sessions', 'browsers']) {
      await db.schema.alterTable(table).addColumn('owner', 'text').execute();
      await db.schema.alterTable(table).addColumn('owner_url', 'text').execute();
      await db.schema.createIndex(`${table}_by_owner`).on(table).columns(['owner', 'status']).execute();
    }
  },
};
