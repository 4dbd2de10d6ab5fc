import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds projects, keys, and sessions with their runs, steps and events. */
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

/** Adds columns of runs that V2 tasks and V4 runs show, standalone browsers, and the credit of projects. */
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

/** Adds workspaces, files, open uploads, and unreferenced blobs. */
export const workspaces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await workspaceTable(db);
    await fileTable(db);
    await db.schema
      .createTable('loose_blobs')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

async function workspaceTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .execute();
  await db.schema.createIndex('workspaces_by_project').on('workspaces').columns(['project_id', 'created_at']).execute();
}

async function fileTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('may_override', 'integer', (column) => column.notNull())
    .addColumn('open_until', 'bigint', (column) => column.notNull())
    .addColumn('blob_key', 'text')
    .addColumn('stored_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('files_by_path')
    .on('files')
    .columns(['workspace_id', 'path'])
    .unique()
    .where(sql.ref('stored_at'), 'is not', null)
    .execute();
  // Covering index for the sum of file sizes.
  await db.schema
    .createIndex('files_by_workspace')
    .on('files')
    .columns(['workspace_id', 'stored_at', 'size'])
    .execute();
  await db.schema
    .createIndex('open_uploads')
    .on('files')
    .column('open_until')
    .where(sql.ref('stored_at'), 'is', null)
    .execute();
}

/**
 * Adds to each run its own model, usage and cost limit, and adds launch options of sessions and queued messages of V4
 * sessions.
 */
export const runsOfTheirOwn: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await columnsOfRuns(db);
    await sessionColumns(db);
    await queueTable(db);
  },
};

async function columnsOfRuns(db: Kysely<unknown>): Promise<void> {
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

/** Adds browser profiles, and settings of a task. */
export const profilesAndSettings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('profiles')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('name', 'text')
      .addColumn('user_id', 'text')
      .addColumn('last_used_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('profiles_by_project').on('profiles').columns(['project_id', 'created_at']).execute();
    await db.schema.alterTable('runs').addColumn('settings', 'text').execute();
  },
};

/** Adds workspaces of sessions and browsers, the run that created a file, and the uploads of a run. */
export const sessionFiles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('workspaces').addColumn('owner_id', 'text').execute();
    await db.schema.createIndex('workspaces_by_owner').on('workspaces').column('owner_id').unique().execute();
    await db.schema.alterTable('files').addColumn('run_id', 'text').execute();
    await db.schema.createIndex('files_by_run').on('files').columns(['run_id', 'path']).execute();
    await attachmentTable(db);
    await giveWorkspaces(db);
  },
};

async function attachmentTable(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('attachments')
    // An upload can be attached only once.
    .addColumn('file_id', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text')
    .addColumn('message_id', 'bigint');
  for (const name of ['name', 'path', 'content_type'])
    table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of ['size', 'uploaded', 'position'])
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table.execute();
  await db.schema.createIndex('attachments_by_run').on('attachments').columns(['run_id', 'position']).execute();
  await db.schema.createIndex('attachments_by_message').on('attachments').columns(['message_id', 'position']).execute();
}

/** Gives each existing V4 session that has no workspace a new workspace with the id of the session. */
async function giveWorkspaces(db: Kysely<unknown>): Promise<void> {
  await sql`insert into workspaces (id, project_id, created_at, updated_at)
    select id, project_id, created_at, updated_at from sessions
    where generation = 'v4' and workspace_id is null`.execute(db);
  await sql`update sessions set workspace_id = id where generation = 'v4' and workspace_id is null`.execute(db);
}

/** Adds custom proxies, further launch options, and browser downloads. */
export const proxiesAndDownloads: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('sessions').addColumn('custom_proxy', 'text').execute();
    await db.schema.alterTable('browsers').addColumn('custom_proxy', 'text').execute();
    await db.schema
      .alterTable('browsers')
      .addColumn('shows_pdf', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    // Browsers of earlier releases could be resized.
    await db.schema
      .alterTable('browsers')
      .addColumn('allows_resizing', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await db.schema
      .createTable('downloads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('browser_id', 'text', (column) => column.notNull().references('browsers.id'))
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .addColumn('blob_key', 'text', (column) => column.notNull())
      .addColumn('finished_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('downloads_by_path').on('downloads').columns(['browser_id', 'path']).unique().execute();
  },
};

/**
 * Adds encrypted secrets of runs, shares and screenshots of sessions, purge states, zero data retention of projects,
 * and the run that a queued message has interrupted.
 */
export const secretsSharesAndPurges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('secrets', 'text').execute();
    await db.schema.alterTable('sessions').addColumn('purge_state', 'text').execute();
    await db.schema.createIndex('sessions_by_purge').on('sessions').column('purge_state').execute();
    await db.schema
      .alterTable('projects')
      .addColumn('zero_data_retention', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('queue_messages').addColumn('cut_run_id', 'text').execute();
    await shareTable(db);
    await pictureTable(db);
  },
};

async function shareTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('shares')
    .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('view_count', 'bigint', (column) => column.notNull())
    .addColumn('last_viewed_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function pictureTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pictures')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .execute();
  await db.schema.createIndex('pictures_by_session').on('pictures').column('session_id').execute();
}
