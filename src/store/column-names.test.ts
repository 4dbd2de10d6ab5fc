import { sql } from 'kysely';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { columnName, memberName } from './column-names.ts';
import { openDatabase } from './open-database.ts';
import type { Tables } from './tables/tables.ts';

/** Union of all row members whose name contains an underscore, as SQL names do. */
type NamedAsInSql = { [Table in keyof Tables]: keyof Tables[Table] & `${string}_${string}` }[keyof Tables];

describe('the names of columns', () => {
  it('become the names of members, and these become the same columns', async () => {
    const db = await openDatabase(':memory:');
    const { rows } = await sql<{ name: string }>`select distinct columns.name as name
      from sqlite_master as tables, pragma_table_info(tables.name) as columns`.execute(db);
    const names = rows.map(({ name }) => name);
    expect(names).toContain('created_at');
    expect(names.map((name) => columnName(memberName(name)))).toEqual(names);
    expect(names.map((name) => memberName(name)).filter((name) => name.includes('_'))).toEqual([]);
    await db.destroy();
  });

  it('stay in SQL: rows have no member with one', async () => {
    expectTypeOf<NamedAsInSql>().toBeNever();
    const db = await openDatabase(':memory:');
    const row = { key: 'k', createdAt: 1 };
    await db.insertInto('loose_blobs').values(row).execute();
    expect(await db.selectFrom('loose_blobs').selectAll().executeTakeFirst()).toEqual(row);
    await db.destroy();
  });
});
