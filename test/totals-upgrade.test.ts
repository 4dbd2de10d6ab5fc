import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from '#store/database.ts';
import { openDatabase } from '#store/open-database.ts';
import { createApiClient } from './support/api-client.ts';
import { startBackend, testKey } from './support/start-backend.ts';
import { undoHashedTokens } from './support/undo-hashed-tokens.ts';

const kept = (db: Database): Promise<unknown[]> =>
  db.selectFrom('totals').selectAll().where('count', '<>', 0).orderBy('projectId').orderBy('what').execute();

it('counts what a database of the release before has when it is opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-totals-'));
  const file = join(folder, 'svc.sqlite');
  const started = await startBackend({});
  const call = async (
    version: 'v2' | 'v3' | 'v4',
    ...request: [method: string, path: string, body?: object]
  ): Promise<string> => String((await createApiClient(started.address, testKey, version).call(...request)).body['id']);
  try {
    await call('v2', 'POST', '/tasks', { task: 'Say x' });
    await call('v2', 'DELETE', `/sessions/${await call('v2', 'POST', '/sessions', {})}`);
    for (let count = 0; count < 2; count += 1) await call('v3', 'POST', '/sessions', { keepAlive: true });
    await call('v4', 'POST', '/runs', { task: 'Say x' });
    await call('v4', 'DELETE', `/workspaces/${await call('v4', 'POST', '/workspaces', {})}`);
    for (const kind of ['/profiles', '/browsers']) await call('v4', 'POST', kind, {});
    await sql`vacuum into ${file}`.execute(started.backend.db);
    const before = await kept(started.backend.db);
    expect(before).toMatchObject([
      { what: 'browsers', count: 1 },
      { what: 'profiles', count: 1 },
      { what: 'runs v2', count: 1 },
      { what: 'sessions v2', count: 1 },
      { what: 'sessions v3', count: 2 },
      { what: 'workspaces', count: 1 },
    ]);
    const old = await openDatabase(file);
    for (const statement of undoHashedTokens) await sql.raw(statement).execute(old);
    for (const column of ['worker', 'folder']) await old.schema.alterTable('recordings').dropColumn(column).execute();
    for (const table of ['request_counts', 'totals']) await old.schema.dropTable(table).execute();
    await sql`delete from kysely_migration where name >= '0023'`.execute(old);
    await old.destroy();
    const upgraded = await openDatabase(file);
    expect(await kept(upgraded)).toEqual(before);
    await upgraded.destroy();
  } finally {
    await started.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
