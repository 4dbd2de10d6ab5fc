import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

/** Reads the schema of a database and every row of every table. */
async function dump(db: Database): Promise<unknown> {
  const schema = await sql<{ name: string; type: string }>`select type, name, tbl_name, sql from sqlite_master`.execute(
    db,
  );
  const tables = schema.rows.filter(({ type, name }) => type === 'table' && !name.startsWith('sqlite_'));
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return {
    schema: schema.rows.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    rows: rows.map((result, at) => [tables[at]?.name, result.rows]),
  };
}

it('gives every in-memory database the tables and the rows of the migrations', async () => {
  const migrated = await openDatabase(':memory:');
  const copied = await openDatabase(':memory:');
  expect(await dump(copied)).toEqual(await dump(migrated));
});
