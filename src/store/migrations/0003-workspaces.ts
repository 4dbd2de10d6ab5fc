import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Workspaces, their files and open uploads, and blobs that no row owns. */
export const workspaces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await workspaceTable(db);
    await fileTable(db);
    await db.schema
      .createTable('loose_blobs')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

async function workspaceTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .execute();
  await db.schema.createIndex('workspaces_by_project').on('workspaces').columns(['project_id', 'created_at']).execute();
}

async function fileTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('may_override', 'integer', (column) => column.notNull())
    .addColumn('open_until', 'bigint', (column) => column.notNull())
    .addColumn('blob_key', 'text')
    .addColumn('stored_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('files_by_path')
    .on('files')
    .columns(['workspace_id', 'path'])
    .unique()
    .where(sql.ref('stored_at'), 'is not', null)
    .execute();
  // Holds all that the sum of sizes needs.
  await db.schema
    .createIndex('files_by_workspace')
    .on('files')
    .columns(['workspace_id', 'stored_at', 'size'])
    .execute();
  await db.schema
    .createIndex('open_uploads')
    .on('files')
    .column('open_until')
    .where(sql.ref('stored_at'), 'is', null)
    .execute();
}
