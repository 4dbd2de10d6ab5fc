import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { loadOptional } from '#contract/load-optional.ts';
import { blobColumns } from '#store/blobs/unreferenced-blobs.ts';
import { openDatabase } from '#store/database.ts';
import { isPostgres } from '#store/database-url.ts';
import type { PostgresReader } from '#store/postgres/index.ts';
import { BackupFault, type Content, copiedTables, createCounter } from './manifest.ts';

/** A copy of the database as of one moment. */
export interface Snapshot extends Content {
  /** Names of the applied migrations, in their order. */
  readonly migrations: readonly string[];
  /** Blob keys of all bytes that its rows reference. */
  readonly keys: ReadonlySet<string>;
  /** Recordings in progress, whose videos are files beside the database. */
  readonly openRecordings: readonly string[];
}

/**
 * Writes a durable copy of a database in use to an SQLite file, in one read transaction that blocks no writer. A file
 * is copied as it is, since it may be from another release.
 */
export async function snapshot(source: string, target: string): Promise<Snapshot> {
  if (isPostgres(source)) await copyFromPostgres(source, target);
  else copyFile(source, target);
  const content = await sealed(target);
  const copy = new DatabaseSync(target, { readOnly: true });
  try {
    return {
      ...content,
      migrations: texts(copy, 'select name from kysely_migration order by name'),
      keys: keysOf(copy),
      openRecordings: hasColumn(copy, 'recordings', 'status')
        ? texts(copy, "select id from recordings where status = 'open'")
        : [],
    };
  } finally {
    copy.close();
  }
}

function copyFile(source: string, target: string): void {
  const from = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  try {
    from.prepare('vacuum into ?').run(target);
  } finally {
    from.close();
  }
}

/** Flushes a file to the disk, and returns its size and hash. */
async function sealed(path: string): Promise<Content> {
  await using file = await open(path, 'r+');
  await file.chmod(0o600);
  await file.sync();
  const counter = createCounter();
  await pipeline(file.createReadStream({ autoClose: false }), async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of counter.pass(pieces)) void piece;
  });
  return counter.content();
}

function keysOf(copy: DatabaseSync): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { table, column } of blobColumns) {
    // An older release without the column references nothing through it.
    if (!hasColumn(copy, table, column)) continue;
    for (const key of texts(copy, `select ${column} from ${table} where ${column} is not null`)) keys.add(key);
  }
  return keys;
}

function hasColumn(copy: DatabaseSync, table: string, column: string): boolean {
  return copy.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined;
}

function texts(copy: DatabaseSync, sql: string): string[] {
  return copy
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));
}

/**
 * Copies a snapshot of a PostgreSQL database of this release to a new SQLite file without blocking writers. Rejects
 * with a {@link BackupFault} for another release.
 */
async function copyFromPostgres(address: string, target: string): Promise<void> {
  await (await openDatabase(target)).destroy();
  const { readPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  await readPostgres(address, async (reader) => {
    const copy = new DatabaseSync(target, { enableForeignKeyConstraints: false });
    try {
      refuseOther(copy, await reader.migrations());
      // With the journal mode `delete` the closed file contains everything.
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
  // Ids that were used once are never used again.
  if (latest !== null) {
    copy.prepare('delete from sqlite_sequence where name = ?').run(table);
    copy.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, latest);
  }
}
