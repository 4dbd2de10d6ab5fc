import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What runs of one session have each for itself, what sessions are opened with, and messages that wait for a V4 session. */
export const runsOfTheirOwn: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await runColumns(db);
    await sessionColumns(db);
    await queueTable(db);
  },
};

async function runColumns(db: Kysely<unknown>): Promise<void> {
  for (const name of ['model', 'thinking_level']) await db.schema.alterTable('runs').addColumn(name, 'text').execute();
  for (const name of ['input_tokens', 'output_tokens', 'proxy_bytes']) {
    await db.schema
      .alterTable('runs')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('runs').addColumn('max_cost_micros', 'bigint').execute();
}

async function sessionColumns(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('start_url', 'text').execute();
  for (const [name, value] of [
    ['persist_memory', 1],
    ['resumable', 0],
  ] as const) {
    await db.schema
      .alterTable('sessions')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(value))
      .execute();
  }
  await db.schema
    .createIndex('sessions_by_activity')
    .on('sessions')
    .columns(['resumable', 'status', 'active_at'])
    .execute();
}

async function queueTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('queue_messages')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .addColumn('run_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('queue_by_status').on('queue_messages').columns(['status', 'session_id']).execute();
  await db.schema.createIndex('queue_by_session').on('queue_messages').columns(['session_id', 'id']).execute();
}
