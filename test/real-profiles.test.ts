import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openS3Blobs } from '#store/blobs/s3-blobs.ts';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import type { JsonObject } from '#lib/json.ts';
import { browsersFolder } from '../src/cli/serve/create-host.ts';
import { createApiClient } from './support/api-client.ts';
import { endProcesses } from './support/end-processes.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { testKey } from './support/start-backend.ts';
import { startRealBackend } from './support/start-real-backend.ts';
import { type StartedS3, s3Environment, startS3 } from './support/start-s3.ts';

const pages = {
  '/sign-in': `<title>signed in</title><script>document.cookie = 'user=ann'; localStorage.setItem('basket', 'full');</script>`,
  '/me': `<title>busy</title><script>document.title = [document.cookie, localStorage.getItem('basket')].join(' and ');</script>`,
  // The title changes when the value is on the disk, where it survives any end of the browser.
  '/write': `<title>busy</title><script>
    indexedDB.open('kept').onupgradeneeded = ({ target }) => {
      target.result.createObjectStore('values').transaction.oncomplete = () => {
        const written = target.result.transaction('values', 'readwrite', { durability: 'strict' });
        written.objectStore('values').put('kept by the disk', 'key');
        written.oncomplete = () => { document.title = 'written'; };
      };
    };</script>`,
  '/read': `<title>busy</title><script>
    indexedDB.open('kept').onsuccess = ({ target }) => {
      const asked = target.result.transaction('values').objectStore('values').get('key');
      asked.onsuccess = () => { document.title = asked.result; };
    };</script>`,
};
/** Timeout for starting Chromium on a busy machine. */
const deadlineMs = 60_000;
const waiting = { timeout: deadlineMs, interval: 50 };

let server: PageServer;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  server = await servePages(pages);
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-real-profiles-'));
  chmodSync(folder, 0o711);
});
afterEach(async () => {
  await endProcesses(children.splice(0), 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, and waits until the page has this title. The page sets the title when it has finished. */
async function visit(client: RawCdp, path: string, title: string): Promise<void> {
  const session = await client.page();
  await client.result('Page.navigate', { url: `${server.origin}${path}` }, session);
  const shown = async (): Promise<unknown> => {
    const { result } = await client.result('Runtime.evaluate', { expression: 'document.title' }, session);
    return (result as JsonObject)['value'];
  };
  await expect.poll(shown, waiting).toBe(title);
}

async function s3Blobs(s3: StartedS3): Promise<Awaited<ReturnType<typeof openS3Blobs>>> {
  for (const [name, value] of Object.entries(s3Environment)) vi.stubEnv(name, value);
  return openS3Blobs(s3.parsed);
}

it('a login in a browser is kept for the agent in every generation, also with profiles in a bucket', async () => {
  const s3 = await startS3();
  const bucket = await s3Blobs(s3);
  const real = await startRealBackend({ allow: [server.host], blobs: bucket.blobs });
  const api = (version: 'v2' | 'v3'): ReturnType<typeof createApiClient> =>
    createApiClient(real.address, testKey, version);
  const profileId = String((await real.v4.call('POST', '/profiles', {})).body['id']);
  const { id, cdpUrl } = await real.browser({ profileId });
  const client = await connectRaw(cdpUrl);
  await visit(client, '/sign-in', 'signed in');
  await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  expect(s3.objects()).toHaveLength(1);

  const task = `Open ${server.origin}/me and tell me the title`;
  const found = expect.stringContaining('user=ann and full');
  const session = (await api('v3').call('POST', '/sessions', { task, profileId })).body;
  expect(await api('v3').until(String(session['id']), ({ status }) => status === 'stopped', deadlineMs)).toMatchObject({
    output: found,
  });
  const asked = (await api('v2').call('POST', '/tasks', { task, sessionSettings: { profileId } })).body;
  expect(await api('v2').until(String(asked['id']), ({ status }) => status === 'finished', deadlineMs)).toMatchObject({
    output: found,
  });
  const run = (await real.v4.call('POST', '/runs', { task, browserSettings: { profileId } })).body;
  expect(await real.v4.until(String(run['id']), ({ status }) => status === 'completed', deadlineMs)).toMatchObject({
    result: found,
  });

  await real.v4.call('DELETE', `/profiles/${profileId}`);
  await real.stop();
  // The store keeps the pictures of the agent's steps, but no state of the profile.
  expect(s3.objects().filter((name) => name.endsWith('.bin'))).toEqual([]);
  bucket.close();
  await s3.stop();
  vi.unstubAllEnvs();
});

async function serve(...more: string[]): Promise<{ child: ChildProcess; address: string }> {
  const args = ['src/cli/main.ts', 'serve', '--port', '0', '--data', join(folder, 'data'), '--bootstrap-key', testKey];
  const child = spawn(process.execPath, [...args, '--log-level', 'error', '--allow', server.host, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('listening on ')) return { child, address: line.slice('listening on '.length) };
  throw new Error('the service did not start');
}

it('what a killed service could not save is in the next browser all the same', async () => {
  const first = await serve();
  const v4 = createApiClient(first.address, testKey, 'v4');
  const profileId = String((await v4.call('POST', '/profiles', {})).body['id']);
  const { body } = await v4.call('POST', '/browsers', { profileId });
  await visit(await connectRaw(String(body['cdpUrl'])), '/write', 'written');
  await endProcesses([first.child]);
  expect(readdirSync(join(folder, 'data'))).not.toContain('blobs');

  const second = await serve();
  expect(readdirSync(browsersFolder(join(folder, 'data')))).toEqual([]);
  expect(readdirSync(join(folder, 'data', 'blobs'))).toHaveLength(1);
  const again = `${second.address.replace('http', 'ws')}${new URL(String(body['cdpUrl'])).pathname}`;
  await visit(await connectRaw(again), '/read', 'kept by the disk');
});
