import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { getDialect } from '../dialect.ts';

/** Adds the saved browser state of profiles, and profile locks. */
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

/** Adds recordings of browsers, and a flag for recorded standalone browsers. */
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

/** Adds a token for a second, view-only URL to each live view, also to those of existing sessions and browsers. */
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

/** Returns an SQL expression for a random token of the same length as the tokens of the service. */
function randomToken(db: Kysely<unknown>): RawBuilder<string> {
  if (getDialect(db) === 'sqlite') return sql`lower(hex(randomblob(24)))`;
  return sql`left(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 48)`;
}

/** Token prices before each model had its own prices: 1 and 4 dollars per million tokens, in pico-dollars per token. */
const inputPicos = 1_000_000;
const outputPicos = 4_000_000;

/** Adds token costs in pico-dollars, and pending model calls. Earlier costs keep their value in micro-dollars. */
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

/** Adds model-generated titles of runs, and judgements of their results. */
export const opinions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('title', 'text').execute();
    await db.schema.alterTable('runs').addColumn('judgement', 'text').execute();
  },
};

/** Adds mails of sessions, and an index of sessions by mailbox address. */
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

/**
 * Adds names, last use, expiry and revocation of API keys, and session limits of projects. Existing keys stay valid.
 */
export const keysAndLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('name', 'text').execute();
    for (const time of ['last_used_at', 'expires_at', 'revoked_at'])
      await db.schema.alterTable('api_keys').addColumn(time, 'bigint').execute();
    await db.schema.alterTable('projects').addColumn('sessions_max', 'integer').execute();
  },
};

/** Adds console logins and one-time login links; only hashes of their secrets are stored. */
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
