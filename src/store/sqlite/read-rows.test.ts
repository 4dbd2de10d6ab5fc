import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRows } from './reader.ts';

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec(
    "create table t (id text, n real, bytes blob); insert into t values ('a', 1.5, x'01'), ('b', null, null)",
  );
});
afterEach(() => database.close());

it('gives rows as the database would', () => {
  const sql = 'select *, n as other, id as n from t where id >= ? order by id';
  const wanted = database.prepare(sql).all('a');
  expect(readRows(database.prepare(sql))('a')).toEqual(wanted.map((row) => ({ ...row })));
  expect(readRows(database.prepare(sql))('z')).toEqual([]);
});

it('knows a column that came later', () => {
  const read = readRows(database.prepare('select * from t where id = ?'));
  expect(read('b')).toEqual([{ id: 'b', n: null, bytes: null }]);
  database.exec("alter table t add column later text default 'x'");
  expect(read('b')).toEqual([{ id: 'b', n: null, bytes: null, later: 'x' }]);
});
