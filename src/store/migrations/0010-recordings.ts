import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Recordings of browsers, and which standalone browsers are recorded. */
export const recordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('browsers')
      .addColumn('enable_recording', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('recordings')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('goes_on', 'integer', (column) => column.notNull())
      .addColumn('blob_key', 'text')
      .addColumn('size', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('duration_ms', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema.createIndex('recordings_by_owner').on('recordings').columns(['owner_id', 'created_at']).execute();
    await db.schema.createIndex('recordings_by_status').on('recordings').columns(['status', 'ended_at']).execute();
  },
};
