import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which of several processes makes a recording, and where its video grows: both null where there is one process, and in what is older. */
export const placesOfRecordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('recordings').addColumn('worker', 'text').execute();
    await db.schema.alterTable('recordings').addColumn('folder', 'text').execute();
  },
};
