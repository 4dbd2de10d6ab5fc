import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { getDialect } from '../dialect.ts';

/** Adds rate limits of projects, and the tracing span that caused a task or a queued message. */
export const ratesAndTraces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('projects').addColumn('requests_per_second', 'integer').execute();
    for (const table of ['runs', 'queue_messages'])
      await db.schema.alterTable(table).addColumn('trace_parent', 'text').execute();
  },
};

/**
 * Adds the processes of a service, and the owner of each session and standalone browser. Existing rows have no owner.
 */
export const workers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('workers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('is_draining', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('heartbeat_at', 'bigint', (column) => column.notNull())
      .addColumn('buried_at', 'bigint')
      .execute();
    for (const table of ['sessions', 'browsers']) {
      await db.schema.alterTable(table).addColumn('owner', 'text').execute();
      await db.schema.alterTable(table).addColumn('owner_url', 'text').execute();
      await db.schema.createIndex(`${table}_by_owner`).on(table).columns(['owner', 'status']).execute();
    }
  },
};

/**
 * Copies project, generation and deletion of a session to its runs, and adds indexes in list order. Lists and counts
 * then read only the rows that they show.
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

/** Adds the number of resources per project and kind, which lists show as their total. Counts the existing rows. */
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

/**
 * Adds the number of requests in the current time window, which several processes share. A crash of the database may
 * reset these counts.
 */
export const requestCounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('request_counts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('period', 'bigint', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .execute();
    // Every request writes this table; an unlogged table avoids waiting for the disk.
    if (getDialect(db) === 'postgres') await sql`alter table request_counts set unlogged`.execute(db);
  },
};

/**
 * Adds the process that makes a recording, and the folder of its growing video; both null in a single-process service
 * and in existing rows.
 */
export const placesOfRecordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('recordings').addColumn('worker', 'text').execute();
    await db.schema.alterTable('recordings').addColumn('folder', 'text').execute();
  },
};

/**
 * Renames the columns of access tokens, which now hold hashes, and adds columns for encrypted tokens. Adds a second
 * secret to console logins and ends existing logins. Existing tokens stay in clear text in the hash columns until the
 * service encrypts them at its start (`sealClearTokens`).
 */
export const hashedTokens: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const { table, tokens } of tokenColumns) {
      for (const token of tokens)
        await db.schema.alterTable(table).renameColumn(token, `${uses[token]}_hash`).execute();
      await db.schema.alterTable(table).addColumn('sealed_tokens', 'text').execute();
      // A partial index that is empty after the first start; it finds clear-text tokens without a table scan.
      await sql`create index ${sql.ref(`${table}_in_clear`)} on ${sql.table(table)} (sealed_tokens) where sealed_tokens is null`.execute(
        db,
      );
    }
    await db.schema
      .alterTable('console_sessions')
      .addColumn('csrf_hash', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`delete from console_sessions`.execute(db);
  },
};

const uses = { cdp_token: 'cdp', live_token: 'live', view_token: 'view', token: 'share' } as const;

const tokenColumns = [
  { table: 'sessions', tokens: ['live_token', 'view_token'] },
  { table: 'browsers', tokens: ['cdp_token', 'live_token', 'view_token'] },
  { table: 'shares', tokens: ['token'] },
] as const;

/**
 * Adds a flag that tells whether the total of a project contains the bill of a standalone browser. The cost of a
 * project is then known without reading all browsers. Existing browsers are settled when further browsers stop.
 */
export const settledBrowsers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('browsers')
      .addColumn('settled', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('browsers_by_settlement')
      .on('browsers')
      .columns(['project_id', 'settled', 'finished_at'])
      .execute();
  },
};

/** Adds the run of a recording. Only the recordings of V3 tasks have a run. */
export const runsOfRecordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('recordings').addColumn('run_id', 'text').execute();
    await setRunsOfRecordings(db);
  },
};

/** Sets the run of each V3 recording: the latest run of its session that had started when the recording began. */
export async function setRunsOfRecordings<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`
    update recordings set run_id = (
      select runs.id from runs
      where runs.session_id = recordings.owner_id and runs.started_at <= recordings.created_at
      order by runs.started_at desc limit 1
    )
    where owner_id in (select id from sessions where generation = 'v3')`.execute(db);
}
