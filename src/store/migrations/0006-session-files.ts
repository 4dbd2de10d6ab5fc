import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Workspaces that go with their owner, files with the run that made them, and uploads that are attached to a run. */
export const sessionFiles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('workspaces').addColumn('owner_id', 'text').execute();
    await db.schema.createIndex('workspaces_by_owner').on('workspaces').column('owner_id').unique().execute();
    await db.schema.alterTable('files').addColumn('run_id', 'text').execute();
    await db.schema.createIndex('files_by_run').on('files').columns(['run_id', 'path']).execute();
    await attachmentTable(db);
    await giveWorkspaces(db);
  },
};

async function attachmentTable(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('attachments')
    // An upload is attached once.
    .addColumn('file_id', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text')
    .addColumn('message_id', 'bigint');
  for (const name of ['name', 'path', 'content_type'])
    table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of ['size', 'uploaded', 'position'])
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table.execute();
  await db.schema.createIndex('attachments_by_run').on('attachments').columns(['run_id', 'position']).execute();
  await db.schema.createIndex('attachments_by_message').on('attachments').columns(['message_id', 'position']).execute();
}

/** Every V4 session has a workspace: an earlier one gets its own, under the session's id. */
async function giveWorkspaces(db: Kysely<unknown>): Promise<void> {
  await sql`insert into workspaces (id, project_id, created_at, updated_at)
    select id, project_id, created_at, updated_at from sessions
    where generation = 'v4' and workspace_id is null`.execute(db);
  await sql`update sessions set workspace_id = id where generation = 'v4' and workspace_id is null`.execute(db);
}
