import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What browsers leave in profiles, and who uses one. */
export const savedProfiles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('profiles').addColumn('state_key', 'text').execute();
    await db.schema.alterTable('profiles').addColumn('cookie_domains', 'text').execute();
    await db.schema
      .createTable('profile_leases')
      .addColumn('profile_id', 'text', (column) => column.primaryKey())
      .addColumn('holder_id', 'text', (column) => column.notNull().unique())
      .addColumn('taken_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
