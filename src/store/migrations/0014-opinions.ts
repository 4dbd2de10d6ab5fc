import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a model said of a run: its title, and a judgement of its result. */
export const opinions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('title', 'text').execute();
    await db.schema.alterTable('runs').addColumn('judgement', 'text').execute();
  },
};
