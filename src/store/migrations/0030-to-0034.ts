import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the worker of each run: a model or the offline planner; null if neither worked on the run. A session has the
 * value of its latest run.
 */
export const workersOfRuns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['runs', 'sessions'])
      await db.schema.alterTable(table).addColumn('answered_by', 'text').execute();
    await setWorkersOfRuns(db);
  },
};

/**
 * Sets the worker of earlier runs: `model` if a model call was booked, else `offline_planner` if the run succeeded,
 * failed or made a step, else null. A session gets the worker of its latest run.
 */
export async function setWorkersOfRuns<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`
    update runs set answered_by = case
      when exists (select 1 from events where events.run_id = runs.id and events.type = 'model.call') then 'model'
      when status in ('succeeded', 'failed') or exists (select 1 from steps where steps.run_id = runs.id)
        then 'offline_planner'
    end`.execute(db);
  await sql`
    update sessions set answered_by = (
      select runs.answered_by from runs where runs.session_id = sessions.id
      order by runs.created_at desc, runs.id desc limit 1
    )`.execute(db);
}

/**
 * Adds scheduled tasks with the records of their starts, time zones of projects, and the right of an API key to
 * schedule.
 */
export const schedules: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('schedules')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('task', 'text', (column) => column.notNull())
      .addColumn('cron', 'text')
      .addColumn('time_zone', 'text', (column) => column.notNull())
      .addColumn('next_at', 'bigint')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('proposed_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema.createIndex('schedules_by_time').on('schedules').columns(['status', 'next_at']).execute();
    await db.schema.createIndex('schedules_by_project').on('schedules').columns(['project_id', 'created_at']).execute();
    await db.schema
      .createTable('schedule_starts')
      .addColumn('schedule_id', 'text', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('session_id', 'text')
      .addColumn('refusal', 'text')
      .addPrimaryKeyConstraint('schedule_starts_once', ['schedule_id', 'due_at'])
      .execute();
    await db.schema
      .alterTable('projects')
      .addColumn('time_zone', 'text', (column) => column.notNull().defaultTo('UTC'))
      .execute();
    await db.schema
      .alterTable('api_keys')
      .addColumn('may_schedule', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

/**
 * Adds the monthly spend limit of a key, the key that created a session or browser, and the suggestions of a run.
 * Sessions and browsers of earlier releases count for no key.
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

const tokenHashes = { sessions: ['live', 'view'], browsers: ['cdp', 'live', 'view'], shares: ['share'] };

/**
 * Shortens the hashes of access tokens to the 32 digits of `tokenHash`, so that the rows of sessions take
 * less room. Tokens of earlier releases in clear text stay as they are until the service hashes them.
 */
export const shortTokenHashes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const [table, uses] of Object.entries(tokenHashes)) {
      const columns = uses.map((use) => sql.ref(`${use}_hash`));
      const shortened = columns.map((column) => sql`${column} = substr(${column}, 1, 32)`);
      await sql`update ${sql.table(table)} set ${sql.join(shortened)} where sealed_tokens is not null`.execute(db);
    }
  },
};
