import type { Insertable } from 'kysely';
import type { Database } from './database.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import type { Tables } from './schema.ts';

/** Writes rows of one table. */
export type InsertRow<Table extends keyof Tables> = (db: Database, row: Insertable<Tables[Table]>) => Promise<void>;

/** Rows of one table, by a statement that is built and compiled once for the columns that a row has. */
export function prepareInsert<Table extends keyof Tables>(table: Table): InsertRow<Table> {
  type Row = Insertable<Tables[Table]>;
  /** By columns: few, because rows of a table are made in few places. */
  const statements = new Map<string, PreparedQuery<Row, unknown>>();
  return async (db, row) => {
    const columns = Object.entries(row).flatMap(([column, value]) => (value === undefined ? [] : [column]));
    const name = columns.join(' ');
    const statement =
      statements.get(name) ?? prepareQuery(columns, (to, values: Row) => to.insertInto(table).values(values));
    statements.set(name, statement);
    await statement(db, row);
  };
}
