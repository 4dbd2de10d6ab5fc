import type { DatabaseSync } from 'node:sqlite';

/**
 * The tables of a SQLite database that hold what a service keeps, each behind those that it refers to. What the migrations and the
 * database itself keep is not among them.
 */
export function copiedTables(db: DatabaseSync): string[] {
  const names = texts(
    db,
    `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\' order by name`,
  );
  const ordered = new Set<string>();
  const add = (name: string, behind: ReadonlySet<string>): void => {
    if (behind.has(name)) throw new Error(`found tables that refer to each other in a circle: ${name}`);
    if (ordered.has(name)) return;
    for (const referred of references(db, name)) if (referred !== name) add(referred, new Set([...behind, name]));
    ordered.add(name);
  };
  for (const name of names) add(name, new Set());
  return [...ordered];
}

function references(db: DatabaseSync, name: string): string[] {
  return db
    .prepare('select "table" from pragma_foreign_key_list(?)')
    .all(name)
    .map((row) => String(Object.values(row)[0]));
}

function texts(db: DatabaseSync, sql: string): string[] {
  return db
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));
}
