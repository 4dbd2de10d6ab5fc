import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

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
