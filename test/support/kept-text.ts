import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { getDialect } from '#store/dialect.ts';
import type { StartedBackend } from './start-backend.ts';

/** Returns the contents of a service's database as text: the bytes of its files, or every row of PostgreSQL. */
export async function keptText({ backend: { db }, dataFolder }: StartedBackend): Promise<string> {
  if (getDialect(db) === 'sqlite') {
    const files = readdirSync(dataFolder).filter((name) => name.startsWith('svc.sqlite'));
    return files.map((name) => readFileSync(join(dataFolder, name), 'latin1')).join();
  }
  const tables = await db.introspection.getTables();
  const rows = tables.map(async ({ name }) =>
    JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows),
  );
  return (await Promise.all(rows)).join();
}
