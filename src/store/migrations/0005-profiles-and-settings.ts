import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Browser profiles of a project, and what a task keeps for itself. */
export const profilesAndSettings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('profiles')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('name', 'text')
      .addColumn('user_id', 'text')
      .addColumn('last_used_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('profiles_by_project').on('profiles').columns(['project_id', 'created_at']).execute();
    await db.schema.alterTable('runs').addColumn('settings', 'text').execute();
  },
};
