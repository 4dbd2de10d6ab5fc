import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { dialectOf } from '../dialect.ts';

/** What browsers leave in profiles, and who uses one. */
export const savedProfiles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('profiles').addColumn('state_key', 'text').execute();
    await db.schema.alterTable('profiles').addColumn('cookie_domains', 'text').execute();
    await db.schema
      .createTable('profile_leases')
      .addColumn('profile_id', 'text', (column) => column.primaryKey())
      .addColumn('holder_id', 'text', (column) => column.notNull().unique())
      .addColumn('taken_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

/** Recordings of browsers, and which standalone browsers are recorded. */
export const recordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('browsers')
      .addColumn('enable_recording', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('recordings')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('goes_on', 'integer', (column) => column.notNull())
      .addColumn('blob_key', 'text')
      .addColumn('size', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('duration_ms', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema.createIndex('recordings_by_owner').on('recordings').columns(['owner_id', 'created_at']).execute();
    await db.schema.createIndex('recordings_by_status').on('recordings').columns(['status', 'ended_at']).execute();
  },
};

/** A second address for each live view, at which nothing can be done. Sessions and browsers from before get one too. */
export const viewOnlyAddresses: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['sessions', 'browsers']) {
      await db.schema
        .alterTable(table)
        .addColumn('view_token', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
      await sql`update ${sql.table(table)} set view_token = ${randomToken(db)}`.execute(db);
      await db.schema.createIndex(`${table}_by_view_token`).on(table).column('view_token').unique().execute();
    }
  },
};

/** As long as the tokens that the service makes itself, in the words of the database. */
function randomToken(db: Kysely<unknown>): RawBuilder<string> {
  if (dialectOf(db) === 'sqlite') return sql`lower(hex(randomblob(24)))`;
  return sql`left(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 48)`;
}

/** What a million tokens cost before models had prices of their own: 1 and 4 dollars, in pico-dollars for each token. */
const inputPicos = 1_000_000;
const outputPicos = 4_000_000;

/** Money of tokens beside the tokens, and calls that are under way. What was booked before keeps its sum to the micro-dollar. */
export const modelMoney: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['sessions', 'runs']) {
      await db.schema
        .alterTable(table)
        .addColumn('llm_picos', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
      const earlier = sql`input_tokens * ${inputPicos} + output_tokens * ${outputPicos}`;
      await sql`update ${sql.table(table)} set llm_picos = ${earlier}`.execute(db);
    }
    await db.schema
      .createTable('model_calls')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('session_id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('reserved_picos', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('model_calls_by_session').on('model_calls').column('session_id').execute();
    await db.schema.createIndex('model_calls_by_project').on('model_calls').column('project_id').execute();
  },
};

/** What a model said of a run: its title, and a judgement of its result. */
export const opinions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('title', 'text').execute();
    await db.schema.alterTable('runs').addColumn('judgement', 'text').execute();
  },
};

/** Mails of sessions, and sessions by the address of their mailbox. */
export const mails: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('mails')
      .addColumn('session_id', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('sender', 'text', (column) => column.notNull())
      .addColumn('sender_name', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('links', 'text', (column) => column.notNull())
      .addColumn('attachments', 'text', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('read_at', 'bigint')
      .addPrimaryKeyConstraint('mails_by_place', ['session_id', 'number'])
      .execute();
    await db.schema.createIndex('sessions_by_inbox_email').on('sessions').column('inbox_email').execute();
  },
};

/** What becomes of keys: their names, uses and ends. Projects have a limit of their own. Keys that exist stay as they are. */
export const keysAndLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('name', 'text').execute();
    for (const time of ['last_used_at', 'expires_at', 'revoked_at'])
      await db.schema.alterTable('api_keys').addColumn(time, 'bigint').execute();
    await db.schema.alterTable('projects').addColumn('sessions_max', 'integer').execute();
  },
};

/** Logins to the console and the one-time links that open them; of each secret only the hash is kept. */
export const consoleLogins: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('console_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('key_hash', 'text')
      .addColumn('is_operator', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('console_sessions_by_expiry').on('console_sessions').column('expires_at').execute();
    await db.schema
      .createTable('console_links')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
