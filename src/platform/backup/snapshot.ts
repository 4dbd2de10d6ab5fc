import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync } from 'node:sqlite';
import { blobColumns } from '#store/blobs/unreferenced-blobs.ts';
import { isPostgres } from '#store/dialect.ts';
import { type Content, createCounter } from './content.ts';
import { copyFromPostgres } from './copy-from-postgres.ts';

/** A copy of the database as it was at one moment. */
export interface Snapshot extends Content {
  /** Names of the migrations that made its tables, the earliest first. */
  readonly migrations: readonly string[];
  /** Keys of all bytes that its rows own. */
  readonly keys: ReadonlySet<string>;
  /** Recordings that were being made: their videos lie beside the database. */
  readonly openRecordings: readonly string[];
}

/**
 * Writes a durable copy of a database that may be in use as a SQLite file, in one read transaction: what was committed before it began is in
 * it, whoever writes meanwhile is not held up. A file is read as it is, since it may be that of another release than this one.
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

/** Waits until a file is on the disk, and reads what it holds. */
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
    // A release that had no such column owned nothing through it.
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
