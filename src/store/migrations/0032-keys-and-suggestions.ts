import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the monthly spend limit of a key, the key that opened a session or browser, and the suggestions of a run. What an
 * earlier release opened counts for no key.
 */
export const keysAndSuggestions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('monthly_micros', 'bigint').execute();
    for (const table of ['sessions', 'browsers']) {
      await db.schema.alterTable(table).addColumn('key_id', 'text').execute();
      await db.schema.createIndex(`${table}_by_key`).on(table).column('key_id').execute();
    }
    await db.schema.alterTable('runs').addColumn('suggestions', 'text').execute();
  },
};
