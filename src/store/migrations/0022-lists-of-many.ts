import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Lists and counts that do not read what they do not show: runs know whose they are and whether their session is deleted, as their
 * session does, and indexes have the order of the lists.
 */
export const listsOfMany: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['project_id', 'generation'])
      await db.schema.alterTable('runs').addColumn(column, 'text').execute();
    await db.schema.alterTable('runs').addColumn('deleted_at', 'bigint').execute();
    await sql`update runs set (project_id, generation, deleted_at) =
      (select project_id, generation, deleted_at from sessions where sessions.id = runs.session_id)`.execute(db);
    const inOrder = ['project_id', 'generation', 'deleted_at', 'created_at', 'id'];
    for (const table of ['runs', 'sessions'])
      await db.schema.createIndex(`${table}_in_order`).on(table).columns(inOrder).execute();
    await db.schema.dropIndex('sessions_by_project').execute();
    await db.schema
      .createIndex('sessions_by_state')
      .on('sessions')
      .columns(['project_id', 'resumable', 'status'])
      .execute();
    await db.schema.createIndex('browsers_by_state').on('browsers').columns(['project_id', 'status']).execute();
  },
};
