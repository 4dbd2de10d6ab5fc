import type { Updateable } from 'kysely';
import type { Database } from './database.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import type { SessionTable } from './schema.ts';

/** Columns of a session that are to be set; `id` says of which. */
export interface SessionChange extends Updateable<Omit<SessionTable, 'id'>> {
  readonly id: string;
}

/** By columns: few, because sessions are changed in few places. */
const statements = new Map<string, PreparedQuery<SessionChange, unknown>>();

/** Sets columns of a session, by a statement that is built and compiled once for the columns that are named; those that are undefined stay. */
export async function changeSession(db: Database, change: SessionChange): Promise<void> {
  const columns = Object.entries(change).flatMap(([column, value]) => (value === undefined ? [] : [column]));
  const name = columns.join(' ');
  const statement =
    statements.get(name) ??
    prepareQuery<SessionChange, unknown>(columns, (to, { id, ...set }) =>
      to.updateTable('sessions').set(set).where('id', '=', id),
    );
  statements.set(name, statement);
  await statement(db, change);
}
