import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Projects, keys, sessions with their runs, steps and events. */
export const sessions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await accounts(db);
    await sessionTable(db);
    await runTables(db);
  },
};

async function accounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('provider_keys')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('ciphertext', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('provider_keys_pk', ['project_id', 'provider'])
    .execute();
}

async function sessionTable(db: Kysely<unknown>): Promise<void> {
  const texts = ['status', 'model', 'generation', 'live_token'];
  const optionalTexts = [
    'thinking_level',
    'output_schema',
    'profile_id',
    'workspace_id',
    'proxy_country_code',
    'inbox_email',
  ];
  const optionalResults = ['title', 'last_step_summary', 'output', 'screenshot_key'];
  const flags = ['keep_alive', 'code_mode', 'enable_recording', 'use_own_key'];
  const counters = ['step_count', 'input_tokens', 'output_tokens', 'proxy_bytes', 'browser_ms'];
  const times = ['created_at', 'updated_at', 'active_at'];
  const optionalNumbers = [
    'max_cost_micros',
    'screen_width',
    'screen_height',
    'is_task_successful',
    'browser_since',
    'deleted_at',
  ];
  let table = db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'));
  for (const name of texts) table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of [...optionalTexts, ...optionalResults]) table = table.addColumn(name, 'text');
  for (const name of flags) table = table.addColumn(name, 'integer', (column) => column.notNull());
  for (const name of [...counters, ...times]) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  for (const name of optionalNumbers) table = table.addColumn(name, 'bigint');
  await table.execute();
  await db.schema
    .createIndex('sessions_by_project')
    .on('sessions')
    .columns(['project_id', 'generation', 'created_at'])
    .execute();
  await db.schema.createIndex('sessions_by_status').on('sessions').columns(['status', 'active_at']).execute();
  await db.schema.createIndex('sessions_by_live_token').on('sessions').column('live_token').unique().execute();
}

async function runTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .addColumn('task', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('runs_by_session').on('runs').columns(['session_id', 'created_at']).execute();
  await db.schema
    .createTable('steps')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('summary', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('screenshot_key', 'text')
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('events')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .addColumn('run_id', 'text')
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('events_by_session').on('events').columns(['session_id', 'id']).execute();
}
