import { DatabaseSync } from 'node:sqlite';
import { loadOptional } from '#contract/load-optional.ts';
import { openDatabase } from '#store/database.ts';
import type { PostgresReader } from '#store/postgres/index.ts';
import { BackupFault } from './backup-fault.ts';
import { copiedTables } from './copied-tables.ts';

/**
 * Writes what a PostgreSQL database of this release held at one moment into a new SQLite file, with the same tables; whoever writes meanwhile
 * is not held up. Rejects with a {@link BackupFault} for a database of another release.
 */
export async function copyFromPostgres(address: string, target: string): Promise<void> {
  await (await openDatabase(target)).destroy();
  const { readPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  await readPostgres(address, async (reader) => {
    const copy = new DatabaseSync(target, { enableForeignKeyConstraints: false });
    try {
      refuseOther(copy, await reader.migrations());
      // All of it is in the one file when it is closed.
      copy.exec('pragma journal_mode = delete; begin');
      for (const table of copiedTables(copy)) await copyTable(reader, copy, table);
      copy.exec('commit');
    } finally {
      copy.close();
    }
  });
}

function refuseOther(copy: DatabaseSync, found: readonly string[]): void {
  const known = copy.prepare('select name from kysely_migration order by name').all();
  const names = known.map(({ name }) => String(name));
  if (names.join() !== found.join())
    throw new BackupFault(
      `found tables of another release (the latest is ${found.at(-1)}), expected those of this one (${names.at(-1)}): use the release of the service`,
    );
}

async function copyTable(reader: PostgresReader, copy: DatabaseSync, table: string): Promise<void> {
  for await (const rows of reader.rows(table)) {
    const [first = {}] = rows;
    const columns = Object.keys(first);
    const insert = copy.prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`).join()}) values (${columns.map(() => '?').join()})`,
    );
    for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
  }
  const latest = await reader.latestNumber(table);
  // A number that was given once is never given again.
  if (latest !== null) {
    copy.prepare('delete from sqlite_sequence where name = ?').run(table);
    copy.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, latest);
  }
}
