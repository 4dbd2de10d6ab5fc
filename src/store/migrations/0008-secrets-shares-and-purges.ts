import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Sealed secrets of runs, shares and pictures of sessions, purges, and what a project is given. */
export const secretsSharesAndPurges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('secrets', 'text').execute();
    await db.schema.alterTable('sessions').addColumn('purge_state', 'text').execute();
    await db.schema.createIndex('sessions_by_purge').on('sessions').column('purge_state').execute();
    await db.schema
      .alterTable('projects')
      .addColumn('zero_data_retention', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('queue_messages').addColumn('cut_run_id', 'text').execute();
    await shareTable(db);
    await pictureTable(db);
  },
};

async function shareTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('shares')
    .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('view_count', 'bigint', (column) => column.notNull())
    .addColumn('last_viewed_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function pictureTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pictures')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .execute();
  await db.schema.createIndex('pictures_by_session').on('pictures').column('session_id').execute();
}
