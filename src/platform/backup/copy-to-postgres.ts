import { DatabaseSync } from 'node:sqlite';
import { loadOptional } from '#contract/load-optional.ts';
import { openDatabase } from '#store/database.ts';
import type { ColumnValue, PostgresWriter, Row } from '#store/postgres/index.ts';
import { BackupFault } from './backup-fault.ts';
import { copiedTables } from './copied-tables.ts';

const rowsAtOnce = 1_000;

/**
 * Writes what a SQLite file holds into a PostgreSQL database that holds nothing yet: all of it or nothing. The file is brought up to date
 * before. Rejects with a {@link BackupFault} where something is.
 */
export async function copyToPostgres(file: string, address: string): Promise<void> {
  for (const database of [file, address]) await (await openDatabase(database)).destroy();
  const { fillPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await fillPostgres(address, async (writer) => {
      const tables = copiedTables(source);
      for (const table of tables)
        if (!(await writer.isEmpty(table)))
          throw new BackupFault(`found rows in ${table}, expected a database that no service has used`);
      for (const table of tables) await copyTable(source, writer, table);
    });
  } finally {
    source.close();
  }
}

async function copyTable(source: DatabaseSync, writer: PostgresWriter, table: string): Promise<void> {
  let rows: Row[] = [];
  for (const row of source.prepare(`select * from "${table}"`).iterate()) {
    rows.push(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)])));
    if (rows.length < rowsAtOnce) continue;
    await writer.write(table, rows);
    rows = [];
  }
  await writer.write(table, rows);
  const given = source.prepare('select seq from sqlite_sequence where name = ?').get(table);
  if (given !== undefined) await writer.numberBehind(table, Number(given['seq']));
}

function valueOf(value: unknown): ColumnValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`found a ${typeof value} in a column, expected a text or a number`);
}
