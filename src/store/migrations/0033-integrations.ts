import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the integrations that a session has used, and the secrets of projects for integrations. */
export const integrations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('sessions').addColumn('integrations_used', 'text').execute();
    await db.schema
      .createTable('integration_secrets')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('integration', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('ciphertext', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('integration_secrets_pk', ['project_id', 'integration', 'name'])
      .execute();
  },
};
