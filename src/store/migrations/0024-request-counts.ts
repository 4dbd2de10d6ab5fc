import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect-of.ts';

/** Requests of the current window of time that several processes count together. A crash of the database may take them away. */
export const requestCounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('request_counts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('period', 'bigint', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .execute();
    // Every request writes there: none waits for the disk.
    if (dialectOf(db) === 'postgres') await sql`alter table request_counts set unlogged`.execute(db);
  },
};
