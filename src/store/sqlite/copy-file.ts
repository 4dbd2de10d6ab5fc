import { DatabaseSync } from 'node:sqlite';
import { blobColumns } from '../blobs/unreferenced-blobs.ts';
import type { ColumnValue, PostgresReader, PostgresWriter, Row } from '../postgres/copy.ts';

/** Migrations, blob keys and open recordings of a copied database. */
export interface CopiedContent {
  /** Names of the migrations that made the tables of the database, the earliest first. */
  readonly migrations: readonly string[];
  /** Keys of all blobs that rows of the database own. */
  readonly keys: ReadonlySet<string>;
  /** Ids of the recordings that were open when the database was copied. */
  readonly openRecordings: readonly string[];
}

/**
 * Copies a SQLite file that may be in use to a new file, in one read transaction. The source may be from another
 * release.
 */
export function copySqliteFile(source: string, target: string): void {
  const from = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  try {
    from.prepare('vacuum into ?').run(target);
  } finally {
    from.close();
  }
}

/** Reads the content of a copied SQLite file, of this or an earlier release. */
export function readCopiedContent(file: string): CopiedContent {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    return {
      migrations: listMigrations(copy),
      keys: blobKeys(copy),
      openRecordings: hasColumn(copy, 'recordings', 'status')
        ? firstColumn(copy, "select id from recordings where status = 'open'")
        : [],
    };
  } finally {
    copy.close();
  }
}

function listMigrations(copy: DatabaseSync): string[] {
  return firstColumn(copy, 'select name from kysely_migration order by name');
}

function blobKeys(copy: DatabaseSync): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { table, column } of blobColumns) {
    // In a release without this column, no row owned a blob through it.
    if (!hasColumn(copy, table, column)) continue;
    for (const key of firstColumn(copy, `select ${column} from ${table} where ${column} is not null`)) keys.add(key);
  }
  return keys;
}

function hasColumn(copy: DatabaseSync, table: string, column: string): boolean {
  return copy.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined;
}

function firstColumn(db: DatabaseSync, sql: string, ...parameters: string[]): string[] {
  return db
    .prepare(sql)
    .all(...parameters)
    .map((row) => String(Object.values(row)[0]));
}

/**
 * Function that compares the migrations of a PostgreSQL database with those of a SQLite file; throws when they differ.
 */
export type CheckMigrations = (found: readonly string[], known: readonly string[]) => void;

/** Fills a SQLite file whose tables are empty with the rows of a PostgreSQL database. */
export async function fillFromPostgres(file: string, reader: PostgresReader, check: CheckMigrations): Promise<void> {
  const copy = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    check(await reader.migrations(), listMigrations(copy));
    // Without a write-ahead log, a single file holds the whole database.
    copy.exec('pragma journal_mode = delete; begin');
    for (const table of copiedTables(copy)) await insertTable(reader, copy, table);
    copy.exec('commit');
  } finally {
    copy.close();
  }
}

async function insertTable(reader: PostgresReader, copy: DatabaseSync, table: string): Promise<void> {
  for await (const rows of reader.rows(table)) {
    const [first = {}] = rows;
    const columns = Object.keys(first);
    const insert = copy.prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`).join()}) values (${columns.map(() => '?').join()})`,
    );
    for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
  }
  const latest = await reader.latestNumber(table);
  // A row number that was assigned once must not be assigned again.
  if (latest !== null) {
    copy.prepare('delete from sqlite_sequence where name = ?').run(table);
    copy.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, latest);
  }
}

const rowsAtOnce = 1_000;

/**
 * Writes all rows of a SQLite file to an empty PostgreSQL database. Calls `refuse`, which throws, for a table that is
 * not empty.
 */
export async function copyToWriter(
  file: string,
  writer: PostgresWriter,
  refuse: (table: string) => never,
): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = copiedTables(source);
    for (const table of tables) if (!(await writer.isEmpty(table))) refuse(table);
    for (const table of tables) await writeTable(source, writer, table);
  } finally {
    source.close();
  }
}

async function writeTable(source: DatabaseSync, writer: PostgresWriter, table: string): Promise<void> {
  let rows: Row[] = [];
  for (const row of source.prepare(`select * from "${table}"`).iterate()) {
    rows.push(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toColumnValue(value)])));
    if (rows.length < rowsAtOnce) continue;
    await writer.write(table, rows);
    rows = [];
  }
  await writer.write(table, rows);
  const given = source.prepare('select seq from sqlite_sequence where name = ?').get(table);
  if (given !== undefined) await writer.numberBehind(table, Number(given['seq']));
}

function toColumnValue(value: unknown): ColumnValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`found a ${typeof value} in a column, expected a text or a number`);
}

/**
 * Returns the tables of a SQLite database that hold rows of the service, each after the tables that it refers to;
 * throws for circular references. Tables of migrations and of SQLite are left out.
 */
function copiedTables(db: DatabaseSync): string[] {
  const names = firstColumn(
    db,
    `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\' order by name`,
  );
  const ordered = new Set<string>();
  const add = (name: string, behind: ReadonlySet<string>): void => {
    if (behind.has(name)) throw new Error(`found tables that refer to each other in a circle: ${name}`);
    if (ordered.has(name)) return;
    const references = firstColumn(db, 'select "table" from pragma_foreign_key_list(?)', name);
    for (const referred of references) if (referred !== name) add(referred, new Set([...behind, name]));
    ordered.add(name);
  };
  for (const name of names) add(name, new Set());
  return [...ordered];
}
