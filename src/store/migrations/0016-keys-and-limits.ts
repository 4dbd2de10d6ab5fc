import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What becomes of keys: their names, uses and ends. Projects have a limit of their own. Keys that exist stay as they are. */
export const keysAndLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('name', 'text').execute();
    for (const time of ['last_used_at', 'expires_at', 'revoked_at'])
      await db.schema.alterTable('api_keys').addColumn(time, 'bigint').execute();
    await db.schema.alterTable('projects').addColumn('sessions_max', 'integer').execute();
  },
};
