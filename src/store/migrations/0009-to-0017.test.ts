import { Kysely, SqliteDialect, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openNodeSqlite } from '../sqlite/node-sqlite.ts';
import { modelMoney } from './0009-to-0017.ts';

describe('the migration to money of models', () => {
  it('keeps what tokens had cost before, rounded as before', async () => {
    const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: openNodeSqlite(':memory:') }) });
    for (const table of ['sessions', 'runs']) {
      await sql`create table ${sql.table(table)} (id text, input_tokens bigint not null, output_tokens bigint not null)`.execute(
        db,
      );
      await sql`insert into ${sql.table(table)} values ('a', 910, 31), ('b', 0, 0)`.execute(db);
    }
    await modelMoney.up(db);
    for (const table of ['sessions', 'runs']) {
      const { rows } = await sql`select id, llm_picos from ${sql.table(table)} order by id`.execute(db);
      expect(rows).toEqual([
        { id: 'a', llmPicos: 1_034_000_000 },
        { id: 'b', llmPicos: 0 },
      ]);
    }
    await db.destroy();
  });
});
