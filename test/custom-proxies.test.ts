import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commandLine } from '#browsers/isolation/process-table.ts';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import { type ForwardProxy, startHttpProxy } from '#browsers/testing/start-http-proxy.ts';
import { startSocksProxy } from '#browsers/testing/start-socks-proxy.ts';
import { untrustedCertificate } from '#browsers/testing/untrusted-certificate.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type Answer, createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { startBackend, testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const account = { username: 'ann of the proxy', password: 'correct horse of the proxy' };
const [ended, isEnded] = [
  ['finished', 'stopped', 'completed', 'failed', 'cancelled'],
  ({ status }: JsonObject): boolean => ended.includes(String(status)),
];

let pages: PageServer;
let secure: Server;
let http: ForwardProxy;
let socks: ForwardProxy;
let dataFolder: string;
let real: RealBackend;
let shop: string;

beforeAll(async () => {
  pages = await servePages({ '/': '<title>Shop</title>', '/named': '<title>Named</title>' });
  secure = createServer(untrustedCertificate, (_request, response) => response.end('<title>Secure</title>'));
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  [http, socks] = await Promise.all([startHttpProxy(account), startSocksProxy(account)]);
  // Only the proxies resolve this name.
  shop = `http://shop.example:${new URL(pages.origin).port}`;
});
afterAll(async () => {
  secure.closeAllConnections();
  secure.close();
  await Promise.all([http.close(), socks.close(), pages.close()]);
});
beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'svc-proxies-'));
  chmodSync(dataFolder, 0o711);
  real = await start();
});
afterEach(async () => {
  await real.stop();
  rmSync(dataFolder, { recursive: true });
});

function start(): Promise<RealBackend> {
  return startRealBackend({ dataFolder, allow: [`127.0.0.1:${http.port}`, `127.0.0.1:${socks.port}`] });
}

function viaHttp(): JsonObject {
  return { host: '127.0.0.1', port: http.port, ...account };
}

function viaSocks(): JsonObject {
  return { host: 'socks5://127.0.0.1', port: socks.port, ...account };
}

/** Returns whether a database file of the service contains the text. */
function isKept(text: string): boolean {
  const names = readdirSync(dataFolder).filter((name) => name.startsWith('svc.sqlite'));
  return names.some((name) => readFileSync(join(dataFolder, name)).includes(text));
}

async function readTitle(cdpUrl: string, url: string): Promise<string> {
  const browser = await chromium.connectOverCDP(cdpUrl);
  try {
    const page = browser.contexts()[0]?.pages()[0];
    await page?.goto(url);
    return (await page?.title()) ?? '';
  } finally {
    await browser.close();
  }
}

/** Kills all browsers. Resolves when the database records that this session has no browser. */
async function crashBrowser(sessionId: string): Promise<void> {
  const { db } = real.backend;
  for (const { pid } of await real.processes()) process.kill(-pid, 'SIGKILL');
  const since = (): Promise<unknown> =>
    db.selectFrom('sessions').select('browserSince').where('id', '=', sessionId).executeTakeFirstOrThrow();
  await expect.poll(since).toEqual({ browserSince: null });
}

/** Returns the sealed proxy settings in the row of a browser or a session. */
function sealed(table: 'browsers' | 'sessions', id: string): Promise<{ customProxy: string | null }> {
  return real.backend.db.selectFrom(table).select('customProxy').where('id', '=', id).executeTakeFirstOrThrow();
}

describe.each([
  { name: 'HTTP', given: viaHttp, proxy: () => http },
  { name: 'SOCKS5', given: viaSocks, proxy: () => socks },
])('a standalone browser with a proxy of its own over $name', ({ given, proxy }) => {
  it('leaves only through it, costs no traffic, and shows its credentials to no client', async () => {
    const before = proxy().targets.length;
    const created = await real.v4.call('POST', '/browsers', { customProxy: given() });
    const { id, cdpUrl } = created.body;
    expect(await readTitle(String(cdpUrl), `${shop}/`)).toBe('Shop');
    expect(proxy().targets.slice(before)).toContain(shop.replace('http://', ''));
    const [{ pid } = { pid: 0 }] = await real.processes();
    const record = await real.v4.call('GET', `/browsers/${String(id)}`);
    const shown = JSON.stringify([created, record, await commandLine(pid)]);
    for (const word of [...Object.values(account), 'customProxy', String(proxy().port)])
      expect(shown).not.toContain(word);
    expect(isKept(account.password)).toBe(false);
    const { body } = await real.v4.call('PATCH', `/browsers/${String(id)}`, { action: 'stop' });
    expect(body).toMatchObject({ proxyUsedMb: '0', proxyCost: '0' });
    expect(await sealed('browsers', String(id))).toEqual({ customProxy: null });
  });

  it('has it in every new Chromium, after a crash and after a start of the service', async () => {
    const { id, cdpUrl } = await real.browser({ customProxy: given() });
    expect((await sealed('browsers', id)).customProxy).not.toBeNull();
    for (const { pid } of await real.processes()) process.kill(-pid, 'SIGKILL');
    await expect.poll(() => real.folders()).toEqual([]);
    expect(await readTitle(cdpUrl, `${shop}/`)).toBe('Shop');
    await real.stop();
    real = await start();
    const again = await real.v4.call('GET', `/browsers/${id}`);
    expect(await readTitle(String(again.body['cdpUrl']), `${shop}/named`)).toBe('Named');
  });

  it('reaches nothing private through it, nor anything with the wrong password', async () => {
    const before = proxy().targets.length;
    const { cdpUrl } = await real.browser({ customProxy: given() });
    await readTitle(cdpUrl, 'http://169.254.169.254/').catch(() => '');
    await readTitle(cdpUrl, `${pages.origin}/`).catch(() => '');
    const other = await real.browser({ customProxy: { ...given(), password: 'wrong' } });
    expect(await readTitle(other.cdpUrl, `${shop}/`).catch(() => 'refused')).not.toBe('Shop');
    expect(proxy().targets.slice(before)).toEqual([]);
  });
});

it('accepts untrusted certificates of pages when those of the proxy are accepted', async () => {
  // A server that listens on a port has an address of this form.
  const page = `https://shop.example:${(secure.address() as AddressInfo).port}/`;
  const careful = await real.browser({ customProxy: viaHttp() });
  await expect(readTitle(careful.cdpUrl, page)).rejects.toThrow('ERR_CERT');
  const careless = await real.browser({ customProxy: { ...viaHttp(), ignoreCertErrors: true } });
  expect(await readTitle(careless.cdpUrl, page)).toBe('Secure');
});

describe('a V2 session with a proxy of its own', () => {
  it('leaves through it in every task, and forgets it at its end', async () => {
    const v2 = createApiClient(real.address, testKey, 'v2');
    const created = await v2.call('POST', '/sessions', { customProxy: viaSocks() });
    expect(created.status).toBe(201);
    const sessionId = String(created.body['id']);
    const { body } = await v2.call('POST', '/tasks', { sessionId, task: `Open ${shop}/ and tell me the title` });
    expect(await v2.until(String(body['id']), isEnded)).toMatchObject({ status: 'finished', isSuccess: true });
    expect(socks.targets).toContain(shop.replace('http://', ''));
    expect(isKept(account.password)).toBe(false);
    expect((await sealed('sessions', sessionId)).customProxy).not.toBeNull();
    const stopped = await v2.call('PATCH', `/sessions/${sessionId}`, { action: 'stop' });
    expect(stopped.body).toMatchObject({ status: 'stopped', proxyUsedMb: '0' });
    expect(await sealed('sessions', sessionId)).toEqual({ customProxy: null });
  });
});

describe('a V4 run with a proxy of its own', () => {
  const task = (path: string): string => `Open ${shop}${path} and tell me the title`;
  const waitForResult = async ({ status, body }: Answer): Promise<string> => {
    expect(status).toBe(200);
    return String((await real.v4.until(String(body['id']), isEnded))['result']);
  };

  it('leaves through it; a follow-up in the same browser too, and in a new one only with a proxy of its own', async () => {
    const { v4 } = real;
    const first = await v4.call('POST', '/runs', { task: task('/'), browserSettings: { customProxy: viaHttp() } });
    const { sessionId } = first.body;
    expect(await waitForResult(first)).toContain('Shop');
    expect(await sealed('sessions', String(sessionId))).toEqual({ customProxy: null });
    expect(isKept(account.password)).toBe(false);
    expect(isKept(`127.0.0.1","port":${http.port}`)).toBe(false);

    const same = await v4.call('POST', '/runs', { sessionId, task: task('/named') });
    expect(await waitForResult(same)).toContain('Named');
    await crashBrowser(String(sessionId));
    const without = await v4.call('POST', '/runs', { sessionId, task: task('/named') });
    expect(await waitForResult(without)).not.toContain('Named');
    const again = { customProxy: viaSocks() };
    await crashBrowser(String(sessionId));
    expect(
      await waitForResult(await v4.call('POST', '/runs', { sessionId, task: task('/named'), browserSettings: again })),
    ).toContain('Named');
  });
});

it('a run whose proxy went with the process that was told of it fails, and does not go without', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lost-'));
  const host = createGatedHost();
  const letGo = host.holdLaunches();
  const first = await startBackend({ dataFolder: folder, host });
  const api = createApiClient(first.address, testKey, 'v4');
  const { body } = await api.call('POST', '/runs', { task: 'goal', browserSettings: { customProxy: viaHttp() } });
  const stopped = first.stop();
  letGo();
  await stopped;
  const second = await startBackend({ dataFolder: folder });
  const run = await createApiClient(second.address, testKey, 'v4').until(String(body['id']), isEnded);
  expect(run).toMatchObject({ status: 'failed', error: 'sandbox did not start' });
  await second.stop();
  rmSync(folder, { recursive: true });
});

describe('what is no proxy', () => {
  it.each([
    { customProxy: { host: 'proxy.example:8080', port: 1 }, loc: 'host' },
    { customProxy: { host: 'ftp://proxy.example', port: 1 }, loc: 'host' },
    { customProxy: { host: 'a@b', port: 1 }, loc: 'host' },
    { customProxy: { host: '1.2.3.4.5', port: 1 }, loc: 'host' },
    { customProxy: { host: 'socks5://', port: 1 }, loc: 'host' },
    { customProxy: { host: 'fe80::1%eth0', port: 1 }, loc: 'host' },
    { customProxy: { host: 'proxy.example', port: 65_536 }, loc: 'port' },
    { customProxy: { host: 'proxy.example' }, loc: 'port' },
    { customProxy: { host: 'proxy.example', port: 1, username: '' }, loc: 'username' },
    { customProxy: { host: 'socks5://p', port: 1, password: 'ö'.repeat(200) }, loc: 'password' },
  ])('is refused wherever it can stand: $customProxy', async ({ customProxy, loc }) => {
    const v2 = createApiClient(real.address, testKey, 'v2');
    const answers = [
      await real.v4.call('POST', '/browsers', { customProxy }),
      await real.v4.call('POST', '/runs', { task: 'x', browserSettings: { customProxy } }),
      await v2.call('POST', '/sessions', { customProxy }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(422);
      const [detail] = Array.isArray(body['detail']) ? body['detail'] : [];
      expect(isJsonObject(detail) ? detail['loc'] : detail).toEqual(expect.arrayContaining([loc]));
    }
    expect((await real.v4.call('GET', '/browsers')).body['totalItems']).toBe(0);
  });
});
