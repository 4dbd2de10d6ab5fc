import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Logins to the console and the one-time links that open them; of each secret only the hash is kept. */
export const consoleLogins: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('console_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('key_hash', 'text')
      .addColumn('is_operator', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('console_sessions_by_expiry').on('console_sessions').column('expires_at').execute();
    await db.schema
      .createTable('console_links')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
