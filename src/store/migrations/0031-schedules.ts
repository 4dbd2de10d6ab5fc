import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds scheduled tasks with the record of their starts, time zones of projects, and the right of a key to schedule. */
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
