import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listMigrations, openDatabase } from './open-database.ts';
import { createStorageDeadline } from './storage-deadline.ts';

let folder = '';
const file = (): string => join(folder, 'svc.sqlite');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-open-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function inFile<Result>(use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file());
  try {
    return use(database);
  } finally {
    database.close();
  }
}

describe('the migrations of a SQLite file', () => {
  it('leave no part of them behind when one fails, and complete after a correction', async () => {
    inFile((database) => database.exec('create table schedules (id text)'));
    await expect(openDatabase(file())).rejects.toThrow('a migration of the database failed');
    const tables = inFile((database) => database.prepare("select name from sqlite_master where type = 'table'").all());
    expect(tables.map(({ name }) => name).filter((name) => !String(name).startsWith('kysely_'))).toEqual(['schedules']);
    inFile((database) => database.exec('drop table schedules'));
    const db = await openDatabase(file());
    expect(await listMigrations(db)).toContain('0034-short-token-hashes');
    await db.destroy();
  });

  it('wait for the lock of another program', async () => {
    await (await openDatabase(file())).destroy();
    const other = new DatabaseSync(file());
    other.exec('begin immediate');
    const { promise: hasWaited, resolve } = Promise.withResolvers<void>();
    const leftMs = (): number => {
      resolve();
      return Number.POSITIVE_INFINITY;
    };
    const opening = openDatabase(file(), { storageDeadline: { ...createStorageDeadline(), leftMs } });
    await Promise.race([hasWaited, opening]);
    other.exec('rollback');
    other.close();
    await (await opening).destroy();
  });
});
