import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { BrowserProfile } from './browser-profile.ts';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import type { LocalBrowser } from '../local-browser.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog, type RecordingLog } from '../testing/recording-log.ts';
import { type PageServer, servePages } from '../testing/serve-pages.ts';
import { type MemoryProfile, memoryProfile } from '../testing/memory-profile.ts';

/** Page that writes cookies, local storage and a database. Its title becomes `written` when the database is on disk. */
const write = `<title>busy</title><script>
  document.cookie = 'session=one';
  document.cookie = 'lasting=two; max-age=86400';
  localStorage.setItem('local', 'three');
  indexedDB.open('kept').onupgradeneeded = ({ target }) => {
    const store = target.result.createObjectStore('values');
    store.put('four', 'key').transaction.oncomplete = () => {
      const again = target.result.transaction('values', 'readwrite', { durability: 'strict' });
      again.objectStore('values').put('four', 'key');
      again.oncomplete = () => { document.title = 'written'; };
    };
  };</script>`;
const read = `<title>busy</title><script>
  const opened = indexedDB.open('kept');
  const show = (found) => {
    const cookies = document.cookie.split('; ').sort().join(' ');
    document.title = [cookies, localStorage.getItem('local'), found].join(' | ');
  };
  opened.onupgradeneeded = () => opened.transaction.abort();
  opened.onerror = () => show('none');
  opened.onsuccess = () => {
    const asked = opened.result.transaction('values').objectStore('values').get('key');
    asked.onsuccess = () => show(asked.result);
  };</script>`;
const ask = `<title>busy</title><script>
  const names = ['geolocation', 'notifications', 'clipboard-read'];
  const states = names.map(async (name) => (await navigator.permissions.query({ name })).state);
  Promise.all(states).then((found) => { document.title = found.join(' '); });</script>`;
const everything = 'lasting=two session=one | three | four';
const nothing = '| | none';

let directory: string;
let server: PageServer;
let log: RecordingLog;
let host: LocalHost;
let browsers = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-profiles-'));
  server = await servePages({ '/write': write, '/read': read, '/ask': ask });
  log = createRecordingLog();
  host = await createLocalHost({ directory, log, allow: [server.host], probe: probeOnce });
});
afterAll(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

function launch(profile: BrowserProfile | null): Promise<LocalBrowser> {
  browsers += 1;
  const screen = { width: 1280, height: 800 };
  return host.launch({ sessionId: `kept-${browsers}`, screen, proxyCountryCode: null, profile });
}

/** Opens a page and returns its title when its script is done. */
async function visit(browser: LocalBrowser, path: string): Promise<string> {
  const tab = await browser.tab();
  await tab.open(`${server.origin}${path}`);
  await expect.poll(() => tab.title()).not.toBe('busy');
  return tab.title();
}

async function writtenBy(profile: MemoryProfile): Promise<LocalBrowser> {
  const browser = await launch(profile);
  expect(await visit(browser, '/write')).toBe('written');
  return browser;
}

async function readWith(profile: BrowserProfile | null): Promise<string> {
  const browser = await launch(profile);
  const found = await visit(browser, '/read');
  await browser.stop();
  return found;
}

test('cookies, also those of the session, local storage and databases are there again, as often as one likes', async () => {
  const profile = memoryProfile();
  await (await writtenBy(profile)).stop();
  expect(profile.domains()).toEqual(['127.0.0.1']);
  expect(await readWith(profile)).toBe(everything);
  expect(await readWith(profile)).toBe(everything);
  expect(await readWith(memoryProfile())).toBe(nothing);
  expect(await readWith(null)).toBe(nothing);
  expect(await readdir(directory)).toEqual([]);
});

test('after a crash there is what the disk has', async () => {
  const profile = memoryProfile();
  const browser = await writtenBy(profile);
  process.kill(browser.pid, 'SIGKILL');
  expect((await browser.ended).expected).toBe(false);
  expect(profile.domains()).toBeNull();
  expect(await readWith(profile)).toMatch(/\| four$/);
});

test('what could not be kept leaves what was kept before', async () => {
  const profile = memoryProfile();
  await (await writtenBy(profile)).stop();
  const narrow = { ...profile, bytesMax: 1_000 };
  const browser = await launch(narrow);
  await browser.stop();
  expect(log.warnings).toContain('a profile stays as it was kept last');
  expect(await readWith(profile)).toBe(everything);
});

test('a state that was changed starts nothing, and leaves nothing', async () => {
  await expect(launch({ ...memoryProfile(), load: async () => unreadable() })).rejects.toThrow(
    'incorrect header check',
  );
  expect(await readdir(directory)).toEqual([]);
});

async function* unreadable(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(100);
}

test('permissions that a client gave outlive the client, its browser and the next one, until they are taken back', async () => {
  const profile = memoryProfile();
  const first = await launch(profile);
  expect(await visit(first, '/ask')).toBe('prompt prompt prompt');
  const granted = { origin: server.origin, permissions: ['geolocation'] };
  expect(await command(first, 'Browser.grantPermissions', granted)).toEqual({ id: 7, result: {} });
  const notifications = { origin: server.origin, permission: { name: 'notifications' }, setting: 'granted' };
  await command(first, 'Browser.setPermission', notifications);
  expect(await visit(first, '/ask')).toBe('granted granted denied');
  const refused = await command(first, 'Browser.grantPermissions', { permissions: ['nonsense'] });
  expect(refused).toMatchObject({ id: 7, error: { code: expect.any(Number) } });
  await first.stop();

  const second = await launch(profile);
  expect(await visit(second, '/ask')).toBe('granted granted denied');
  await second.stop();

  const third = await launch(profile);
  expect(await visit(third, '/ask')).toBe('granted granted denied');
  await command(third, 'Browser.resetPermissions', {});
  await third.stop();
  const last = await launch(profile);
  expect(await visit(last, '/ask')).toBe('prompt prompt prompt');
  await last.stop();
});

/** Attaches a DevTools client, sends one command, detaches the client and returns the reply to the command. */
async function command(browser: LocalBrowser, method: string, params: JsonObject): Promise<CdpMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<CdpMessage>();
  const client = await browser.attach({
    message: (message) => message.id === 7 && resolve(message),
    closed: (reason) => reject(new Error(reason)),
  });
  client.send({ id: 7, method, params });
  const reply = await promise;
  await client.close();
  return reply;
}
