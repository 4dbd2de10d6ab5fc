import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a run keeps of its own (V2 tasks and V4 runs are views of it), standalone browsers, and what a project may spend. */
export const runsAndBrowsers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await runColumns(db);
    await browserTable(db);
    await db.schema.alterTable('projects').addColumn('credit_micros', 'bigint').execute();
  },
};

async function runColumns(db: Kysely<unknown>): Promise<void> {
  for (const name of ['model_params', 'output']) {
    await db.schema.alterTable('runs').addColumn(name, 'text').execute();
  }
  for (const name of ['started_at', 'success']) {
    await db.schema.alterTable('runs').addColumn(name, 'bigint').execute();
  }
  await db.schema.createIndex('events_by_run').on('events').columns(['run_id', 'id']).execute();
  await db.schema.createIndex('steps_by_run').on('steps').columns(['run_id', 'id']).execute();
}

async function browserTable(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('browsers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'));
  for (const name of ['status', 'cdp_token', 'live_token', 'metadata'])
    table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of ['proxy_country_code', 'profile_id']) table = table.addColumn(name, 'text');
  for (const name of ['timeout_minutes', 'proxy_bytes', 'started_at'])
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  for (const name of ['screen_width', 'screen_height', 'finished_at']) table = table.addColumn(name, 'bigint');
  await table.execute();
  await db.schema.createIndex('browsers_by_project').on('browsers').columns(['project_id', 'started_at']).execute();
  await db.schema.createIndex('browsers_by_cdp_token').on('browsers').column('cdp_token').unique().execute();
  await db.schema.createIndex('browsers_by_live_token').on('browsers').column('live_token').unique().execute();
}
