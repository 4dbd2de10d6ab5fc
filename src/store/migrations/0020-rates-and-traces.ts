import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Projects have a rate of their own; tasks, and messages that wait to be one, know which span caused them. */
export const ratesAndTraces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('projects').addColumn('requests_per_second', 'integer').execute();
    for (const table of ['runs', 'queue_messages'])
      await db.schema.alterTable(table).addColumn('trace_parent', 'text').execute();
  },
};
