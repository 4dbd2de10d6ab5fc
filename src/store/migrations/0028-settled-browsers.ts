import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Whether the bill of a standalone browser is part of its project's total: what a project has spent is read without all browsers that it
 * ever had. What is there is settled when further browsers are stopped.
 */
export const settledBrowsers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('browsers')
      .addColumn('settled', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('browsers_by_settlement')
      .on('browsers')
      .columns(['project_id', 'settled', 'finished_at'])
      .execute();
  },
};
