import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Proxies of callers, what else a browser is started with, and the files that browsers have downloaded. */
export const proxiesAndDownloads: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('sessions').addColumn('custom_proxy', 'text').execute();
    await db.schema.alterTable('browsers').addColumn('custom_proxy', 'text').execute();
    await db.schema
      .alterTable('browsers')
      .addColumn('shows_pdf', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    // What an earlier release started could be resized.
    await db.schema
      .alterTable('browsers')
      .addColumn('allows_resizing', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await db.schema
      .createTable('downloads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('browser_id', 'text', (column) => column.notNull().references('browsers.id'))
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('blob_key', 'text', (column) => column.notNull())
      .addColumn('finished_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('downloads_by_path').on('downloads').columns(['browser_id', 'path']).unique().execute();
  },
};
