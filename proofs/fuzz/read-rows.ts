import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

/** Returns the number of rows of each table of a service, read from its database file. */
export function readRows(dataFolder: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { readOnly: true });
  try {
    const tables = database
      .prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
      )
      .all()
      .map(({ name }) => String(name));
    return new Map(
      tables.map(
        (table) => [table, Number(database.prepare(`select count(*) as n from "${table}"`).get()?.['n'])] as const,
      ),
    );
  } finally {
    database.close();
  }
}
