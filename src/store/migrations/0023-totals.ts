import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How many things of each kind a project has, as lists show it. What is there is counted once, here. */
export const totals: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('totals')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('what', 'text', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('totals_key', ['project_id', 'what'])
      .execute();
    for (const { what, from } of counted)
      await sql`insert into totals (project_id, what, count)
        select project_id, ${sql.lit(what)}, count(*) from ${sql.raw(from)} group by project_id`.execute(db);
  },
};

const counted = [
  { what: 'sessions v2', from: "sessions where generation = 'v2' and deleted_at is null" },
  { what: 'sessions v3', from: "sessions where generation = 'v3' and deleted_at is null" },
  { what: 'runs v2', from: "runs where generation = 'v2' and deleted_at is null" },
  { what: 'workspaces', from: 'workspaces where archived_at is null and owner_id is null' },
  { what: 'browsers', from: 'browsers' },
  { what: 'profiles', from: 'profiles' },
] as const;
