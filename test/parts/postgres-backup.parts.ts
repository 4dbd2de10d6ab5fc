import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackup, restoreBackup } from '#platform/backup/backup.ts';
import { openDatabase } from '#store/open-database.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { makeDatabase } from '../support/postgres/make-database.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/start-postgres.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { type StartedBackend, startBackend } from '../support/start-backend.ts';
import { desk, makeWorkspace } from '../support/workspace-client.ts';

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  server = await startPostgres();
  folder = quickFolder('svc-backups-');
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => join(folder, name);
const client = ({ address }: StartedBackend): ApiClient => createApiClient(address, undefined, 'v4');

/**
 * Returns an answer in which paths replace loopback URLs. The origin and the query of a signed URL change when a
 * service is restored from a backup.
 */
const lasting = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replaceAll(/http:\/\/127\.0\.0\.1:\d+([^"?]*)(\?[^"]*)?/g, '$1'));

interface Made {
  readonly runId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
}

async function make(started: StartedBackend): Promise<Made> {
  const api = client(started);
  const workspaceId = await makeWorkspace(api);
  await desk(api, workspaceId).store('notes/a.txt', 'abc');
  const { body } = await api.call('POST', '/runs', { task: 'a task with a NUL \0 and \u{10fffe}', model: 'gpt-5.5' });
  const runId = String(body['id']);
  const run = await api.until(runId, ({ status }) => status === 'completed');
  return { runId, sessionId: String(run['sessionId']), workspaceId };
}

async function shown(started: StartedBackend, { runId, sessionId, workspaceId }: Made): Promise<unknown> {
  const api = client(started);
  const paths = [
    `/runs/${runId}`,
    `/runs/${runId}/events`,
    `/sessions/${sessionId}`,
    `/workspaces/${workspaceId}/files`,
  ];
  return lasting(await Promise.all(paths.map((path) => api.call('GET', path))));
}

/** Returns every row of the main tables of a service. */
async function readAllRows(address: string): Promise<Record<string, unknown>> {
  const db = await openDatabase(address);
  const tables = ['projects', 'sessions', 'runs', 'steps', 'events', 'files', 'pictures', 'api_keys'] as const;
  const entries = tables.map(async (table) => {
    const rows = await db.selectFrom(table).selectAll().execute();
    return [table, rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted()] as const;
  });
  const all = Object.fromEntries(await Promise.all(entries));
  await db.destroy();
  return all;
}

describe('a backup of a service on PostgreSQL', () => {
  it('becomes one on a file, and a backup of that becomes one on PostgreSQL, with all that was kept', async () => {
    const first = await makeDatabase(server.address, 'first');
    const started = await startBackend({ dataFolder: at('first'), database: first });
    const made = await make(started);
    const before = await shown(started, made);
    const backup = { dataFolder: at('first'), database: first, folder: at('backup'), bucket: null, nowMs: 0 };
    const { files } = await createBackup(backup);
    expect(files.map(({ path }) => path)).toContain('svc.sqlite');
    const rows = await readAllRows(first);
    await started.stop();

    await restoreBackup({ folder: at('backup'), dataFolder: at('second') });
    expect(await readAllRows(at('second/svc.sqlite'))).toEqual(rows);
    const second = await startBackend({ dataFolder: at('second'), database: at('second/svc.sqlite') });
    expect(await shown(second, made)).toEqual(before);
    await makeWorkspace(client(second));
    await second.stop();

    await createBackup({ dataFolder: at('second'), folder: at('again'), bucket: null, nowMs: 0 });
    const third = await makeDatabase(server.address, 'third');
    await restoreBackup({ folder: at('again'), dataFolder: at('third'), database: third });
    expect(readdirSync(at('third')).filter((name) => name.startsWith('svc.'))).toEqual([]);
    expect(await readAllRows(third)).toEqual(await readAllRows(at('second/svc.sqlite')));
    const last = await startBackend({ dataFolder: at('third'), database: third });
    expect(await shown(last, made)).toEqual(before);
    // New ids continue after the restored ids.
    const after = await make(last);
    expect(await shown(last, made)).toEqual(before);
    expect(await shown(last, after)).not.toEqual(before);
    await last.stop();
  });

  it('is restored into no database that a service has used, and leaves nothing then', async () => {
    const used = await makeDatabase(server.address, 'used');
    await (await startBackend({ dataFolder: at('used'), database: used })).stop();
    await createBackup({ dataFolder: at('used'), database: used, folder: at('backup-used'), bucket: null, nowMs: 0 });
    const restored = restoreBackup({ folder: at('backup-used'), dataFolder: at('other'), database: used });
    await expect(restored).rejects.toThrow('found rows in projects, expected a database that no service has used');
    expect(readdirSync(at('other'))).toEqual([]);
  });
});
