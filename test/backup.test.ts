import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackupFault, type Manifest } from '#platform/backup/manifest.ts';
import { createBackup, restoreBackup } from '#platform/backup/backup.ts';
import { newBlobKey } from '#store/blobs/blobs.ts';
import { blobColumns } from '#store/blobs/unreferenced-blobs.ts';
import { openDatabase } from '#store/open-database.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { desk, makeWorkspace } from './support/workspace-client.ts';

let folder: string;
let started: StartedBackend;
let v3: ApiClient;
let v4: ApiClient;

async function start(name: string): Promise<void> {
  started = await startBackend({ dataFolder: join(folder, name) });
  v3 = createApiClient(started.address, testKey, 'v3');
  v4 = createApiClient(started.address, testKey, 'v4');
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-backup-'));
  await start('data');
});
afterEach(async () => {
  await started.stop();
  rmSync(folder, { recursive: true, force: true });
});

const backUp = (to = 'backup', bucket: string | null = null): Promise<Manifest> =>
  createBackup({ dataFolder: join(folder, 'data'), folder: join(folder, to), bucket, nowMs: 0 });
const restore = (from = 'backup', to = 'again'): Promise<Manifest> =>
  restoreBackup({ folder: join(folder, from), dataFolder: join(folder, to) });

/** Runs `svc admin` in a process of its own, while the service runs. */
async function admin(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'admin', ...args]);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

async function ran(body: JsonObject): Promise<JsonObject> {
  const created = await v4.call('POST', '/runs', body);
  return v4.until(String(created.body['id']), ({ status }) => status === 'completed');
}

/**
 * Returns an answer in which paths replace loopback URLs. The origin and the query of a signed URL change when a
 * service is restored from a backup.
 */
const lasting = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replaceAll(/http:\/\/127\.0\.0\.1:\d+([^"?]*)(\?[^"]*)?/g, '$1'));

/**
 * Returns what a restored backup must contain: the records of these runs and their sessions, and the files of a
 * workspace with their bytes.
 */
async function everything(runs: readonly JsonObject[], workspaceId: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const { id, sessionId } of runs) {
    for (const path of [`/runs/${String(id)}`, `/runs/${String(id)}/events`, `/runs/${String(id)}/attachments`])
      seen.push(lasting((await v4.call('GET', path)).body));
    const session = await v4.call('GET', `/sessions/${String(sessionId)}`);
    seen.push(session.status, session.body['workspaceId'], session.body['createdAt']);
  }
  for (const file of await desk(v4, workspaceId).files('?includeUrls=true')) {
    const response = await fetch(String(file['url']));
    seen.push(lasting(file), response.status, Buffer.from(await response.arrayBuffer()).toString('hex'));
  }
  return seen;
}

/**
 * Repeats in a loop: creates a workspace, stores a file, runs a task and deletes the workspace. `stop` ends the loop
 * and returns the number of rounds.
 */
function writeMeanwhile(): { stop(): Promise<number> } {
  const stopped = new AbortController();
  const written = (async () => {
    let rounds = 0;
    for (; !stopped.signal.aborted; rounds += 1) {
      const workspaceId = await makeWorkspace(v4, `meanwhile ${rounds}`);
      await desk(v4, workspaceId).store('a.bin', 'x'.repeat(10_000));
      await ran({ task: "Write 'meanwhile' to the file a.txt", workspaceId });
      await v4.call('DELETE', `/workspaces/${workspaceId}`);
    }
    return rounds;
  })();
  return {
    stop() {
      stopped.abort();
      return written;
    },
  };
}

/** Timeout for several processes that start one after another. */
const processesMs = 240_000;

describe('a backup', () => {
  it(
    'made while others write has everything that was acknowledged before it began',
    async () => {
      const workspaceId = await makeWorkspace(v4);
      for (let number = 0; number < 30; number += 1)
        await desk(v4, workspaceId).store(`kept/${number}.bin`, `${number}`.repeat(5_000));
      const runs = [];
      for (const task of ["Write 'one' to the file 1.txt", 'Say two', 'Open https://example.com/ and tell its title'])
        runs.push(await ran({ task, workspaceId }));
      const idle = (await v3.call('POST', '/sessions', { task: 'Say x', keepAlive: true })).body;
      await v3.until(String(idle['id']), ({ status }) => status === 'idle');
      const before = await everything(runs, workspaceId);

      const writer = writeMeanwhile();
      const to = join(folder, 'backup');
      const made = await admin('backup', to, '--data', started.dataFolder);
      expect(await writer.stop()).toBeGreaterThan(0);
      expect(made).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(/^backed up \d+ files of \d+ bytes to /),
      });

      await started.stop();
      const restored = await admin('restore', to, '--data', join(folder, 'again'));
      expect(restored).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^restored \d+ files of \d{4}-/) });
      await start('again');
      expect(await everything(runs, workspaceId)).toEqual(before);
      expect((await v3.call('GET', `/sessions/${String(idle['id'])}`)).body['status']).toBe('idle');
      expect(await ran({ task: 'Say more', sessionId: runs[0]?.['sessionId'] ?? null })).toMatchObject({
        result: 'more',
      });
      // A folder in use is rejected as the target of a restore.
      const again = await admin('restore', to, '--data', join(folder, 'again'));
      expect(again).toMatchObject({ code: 2, out: '', err: expect.stringContaining('expected an empty folder') });
    },
    processesMs,
  );

  it('is taken again when bytes go behind its snapshot', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('goes.txt', 'goes');
    await desk(v4, workspaceId).store('stays.txt', 'stays');
    // This picture is a named pipe: the backup waits in its copy until the test has written the picture.
    const { sessionId } = await ran({ task: 'Say x', workspaceId });
    const key = newBlobKey('jpg');
    const pipe = join(started.dataFolder, 'blobs', key);
    execFileSync('mkfifo', [pipe]);
    const set = started.backend.db.updateTable('sessions').set({ screenshotKey: key });
    await set.where('id', '=', String(sessionId)).execute();
    const backup = backUp();
    const picture = await open(pipe, 'w');
    await v4.call('DELETE', `/workspaces/${workspaceId}/files?path=uploads/goes.txt`);
    expect(await desk(v4, workspaceId).paths()).toEqual(['uploads/stays.txt']);
    await picture.writeFile('picture');
    await picture.close();
    expect((await backup).missing).toEqual([]);

    await started.stop();
    await restore();
    await start('again');
    expect(await desk(v4, workspaceId).paths()).toEqual(['uploads/stays.txt']);
    const copied = readdirSync(join(folder, 'backup', 'blobs')).map((name) =>
      readFileSync(join(folder, 'backup', 'blobs', name), 'utf8'),
    );
    expect(copied).toEqual(expect.arrayContaining(['picture', 'stays']));
    expect(copied).not.toContain('goes');
  });

  it('says which bytes were gone before, and takes videos that grow', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('a.txt', 'abc');
    const [name = ''] = readdirSync(join(started.dataFolder, 'blobs'));
    rmSync(join(started.dataFolder, 'blobs', name));
    const recording = { ownerId: 'o', status: 'open', goesOn: 1, createdAt: 0 } as const;
    for (const id of ['grows', 'empty'])
      await started.backend.db
        .insertInto('recordings')
        .values({ ...recording, id })
        .execute();
    mkdirSync(join(started.dataFolder, 'recordings'), { recursive: true });
    writeFileSync(join(started.dataFolder, 'recordings', 'grows.webm'), 'video');
    const { missing, files } = await backUp();
    expect(missing).toEqual([name]);
    expect(files).toContainEqual({ path: 'recordings/grows.webm', size: 5, sha256: expect.any(String) });
    expect(files.map(({ path }) => path).filter((path) => path.startsWith('recordings/'))).toHaveLength(1);
  });

  it('names the files of a bucket', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('a.txt', 'abc');
    const { bucket, bucketKeys, files } = await backUp('backup', 's3://bucket');
    expect([bucket, bucketKeys]).toEqual(['s3://bucket', readdirSync(join(started.dataFolder, 'blobs'))]);
    expect(files.map(({ path }) => path).toSorted()).toEqual(['sealing-secret', 'signing-secret', 'svc.sqlite']);
  });

  it('copies the files of another folder, which a restore puts into the data folder', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('a.txt', 'abc');
    const elsewhere = join(folder, 'all files');
    renameSync(join(started.dataFolder, 'blobs'), elsewhere);
    const [key = ''] = readdirSync(elsewhere);
    const to = join(folder, 'backup');
    const address = pathToFileURL(elsewhere).href;
    const mistyped = await admin('backup', to, '--data', started.dataFolder, '--blobs', `${address}s`);
    expect(mistyped).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('name their folder with --blobs'),
    });
    const made = await admin('backup', to, '--data', started.dataFolder, '--blobs', address);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect((await restore()).missing).toEqual([]);
    expect(readFileSync(join(folder, 'again', 'blobs', key), 'utf8')).toBe('abc');
  });

  it('is for its owner alone, and needs a folder of its own and a service that was started once', async () => {
    await backUp();
    const all = readdirSync(join(folder, 'backup'), { recursive: true, withFileTypes: true });
    const modes = all.map((entry) => [entry.isFile(), statSync(join(entry.parentPath, entry.name)).mode & 0o777]);
    for (const [isFile, mode] of modes) expect(mode).toBe(isFile === true ? 0o600 : 0o700);
    await expect(backUp()).rejects.toThrow('expected an empty folder or none');
    const nowhere = createBackup({ dataFolder: folder, folder: join(folder, 'other'), bucket: null, nowMs: 0 });
    await expect(nowhere).rejects.toThrow(BackupFault);
    expect(readdirSync(folder).toSorted()).toEqual(['backup', 'data']);
  });

  it('knows every column that owns bytes', async () => {
    const db = await openDatabase(':memory:');
    const columns = sql<{ table: string; column: string }>`
      select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_info(m.name) c
      where m.type = 'table' and (c.name = 'key' or c.name like '%\\_key' escape '\\')`;
    const { rows } = await columns.execute(db);
    await db.destroy();
    const others = ['loose_blobs.key', 'sessions.use_own_key'];
    const named = rows.map(({ table, column }) => `${table}.${column}`).filter((name) => !others.includes(name));
    expect(named.toSorted()).toEqual(blobColumns.map(({ table, column }) => `${table}.${column}`).toSorted());
  });
});

describe('a restoration', () => {
  const readManifest = (): JsonObject => JSON.parse(readFileSync(join(folder, 'backup', 'manifest.json'), 'utf8'));
  const change = (changes: object): void =>
    writeFileSync(join(folder, 'backup', 'manifest.json'), JSON.stringify({ ...readManifest(), ...changes }));

  beforeEach(async () => {
    await desk(v4, await makeWorkspace(v4)).store('a.txt', 'abc');
    await backUp();
  });

  it.each([
    {
      name: 'a file that was changed',
      spoil: () => writeFileSync(join(folder, 'backup', 'signing-secret'), 'x'.repeat(32)),
      says: 'expected 32 and ',
    },
    { name: 'a file that is missing', spoil: () => rmSync(join(folder, 'backup', 'sealing-secret')), says: 'found no' },
    {
      name: 'a newer release',
      spoil: () => change({ migrations: [...(readManifest()['migrations'] as string[]), '9999-later'] }),
      says: 'a newer release (9999-later)',
    },
    {
      name: 'a path that leads out',
      spoil: () => change({ files: [{ path: '../x', size: 0, sha256: '0'.repeat(64) }] }),
      says: 'that does not describe a backup',
    },
    { name: 'another format', spoil: () => change({ format: 2 }), says: 'that does not describe a backup' },
    {
      name: 'a damaged manifest',
      spoil: () => writeFileSync(join(folder, 'backup', 'manifest.json'), '{'),
      says: 'that does not describe a backup',
    },
    {
      name: 'a backup that was not finished',
      spoil: () => rmSync(join(folder, 'backup', 'manifest.json')),
      says: 'Expected the manifest of a complete backup',
    },
  ])('refuses $name and leaves nothing', async ({ spoil, says }) => {
    spoil();
    const refused = restore();
    await expect(refused).rejects.toThrow(says);
    await expect(refused).rejects.toThrow(BackupFault);
    expect(readdirSync(folder).includes('again') ? readdirSync(join(folder, 'again')) : []).toEqual([]);
  });

  it('takes the tables of an older release', async () => {
    change({ migrations: (readManifest()['migrations'] as string[]).slice(0, -1) });
    await expect(restore()).resolves.toMatchObject({ format: 1 });
  });

  it('is refused where something lies', async () => {
    await expect(restore('backup', 'data')).rejects.toThrow('expected an empty folder or none');
    expect(readdirSync(join(folder, 'data'))).toContain('svc.sqlite');
  });
});
