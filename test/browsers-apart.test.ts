import { readFileSync, readlinkSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '#browsers/isolation/process-table.ts';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import type { JsonObject } from '#lib/json.ts';
import { createApiClient } from './support/api-client.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';
import { formFor, sendForm } from './support/upload-form.ts';

/** One of the two browsers under test, with a DevTools client attached to its first page. */
interface Side {
  readonly id: string;
  readonly cdpUrl: string;
  readonly pid: number;
  readonly client: RawCdp;
  readonly page: string;
}

const upload = { fileName: 'mine.txt', contentType: 'text/plain', sizeBytes: 4 };
/** Timeout that includes the start of two browsers on a busy machine. */
const sideMs = 120_000;
let server: PageServer;
let real: RealBackend;
let mine: Side;
let theirs: Side;

async function side(): Promise<Side> {
  const before = new Set((await real.processes()).map(({ pid }) => pid));
  const { id, cdpUrl } = await real.browser();
  const started = (await real.processes()).find(({ pid }) => !before.has(pid));
  const client = await connectRaw(cdpUrl);
  const page = await client.page();
  await client.result('Page.enable', {}, page);
  await client.result('Page.navigate', { url: `${server.origin}/` }, page);
  await client.event('Page.loadEventFired', page);
  return { id, cdpUrl, pid: started?.pid ?? Number.NaN, client, page };
}

async function evaluate({ client, page }: Side, expression: string): Promise<unknown> {
  const { result } = await client.result(
    'Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true },
    page,
  );
  return (result as JsonObject)['value'];
}

async function listTargets({ client }: Side): Promise<JsonObject[]> {
  return (await client.result('Target.getTargets'))['targetInfos'] as JsonObject[];
}

/** Returns `host:port` of the egress proxy in the command line of a browser; an empty text without a proxy. */
function readProxy({ pid }: Side): string {
  const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return /--proxy-server=http:\/\/([\d.:]+)/.exec(line)?.[1] ?? '';
}

/** Returns the inodes of all listening TCP sockets of this machine. */
function listening(): Set<string> {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8').trim().split('\n').slice(1),
  );
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .flatMap(([, , , state, , , , , , inode = '']) => (state === '0A' ? [inode] : [])),
  );
}

function listSockets(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${fd}`))?.[1];
    return inode === undefined ? [] : [inode];
  });
}

/**
 * Returns the target of the symbolic link of a file descriptor; an empty text if the descriptor was closed meanwhile.
 */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

beforeAll(async () => {
  server = await servePages({ '/': '<title>Shop</title><input type="file">' });
  real = await startRealBackend({ allow: [server.host] });
  mine = await side();
  theirs = await side();
}, sideMs);
afterAll(async () => {
  for (const one of [mine, theirs]) one.client.close();
  await real.stop();
  await server.close();
});

describe('a client of one browser', () => {
  it('sees no page of another, and cannot attach to one', async () => {
    const [ours, others] = [await listTargets(mine), await listTargets(theirs)];
    const foreign = others.map(({ targetId }) => String(targetId));
    expect(foreign.length).toBeGreaterThan(0);
    expect(ours.filter(({ targetId }) => foreign.includes(String(targetId)))).toEqual([]);
    for (const targetId of foreign) {
      expect(await mine.client.call('Target.attachToTarget', { targetId, flatten: true })).toHaveProperty('error');
      expect(await mine.client.call('Target.closeTarget', { targetId })).toHaveProperty('error');
      expect(await mine.client.call('Target.getTargetInfo', { targetId })).toHaveProperty('error');
    }
    expect(await mine.client.call('Page.reload', {}, theirs.page)).toMatchObject({ error: { code: -32_001 } });
    const list = await (await fetch(`${mine.cdpUrl.replace(/^ws/, 'http')}/json/list`)).text();
    for (const targetId of foreign) expect(list).not.toContain(targetId);
    expect(await evaluate(theirs, 'document.title')).toBe('Shop');
  });

  it('sees no cookie and no storage of another, of the same site', async () => {
    await evaluate(theirs, 'document.cookie = "whose=theirs; max-age=600"; localStorage.setItem("whose", "theirs")');
    expect(await evaluate(theirs, 'document.cookie + localStorage.getItem("whose")')).toBe('whose=theirstheirs');
    expect(await evaluate(mine, 'document.cookie + localStorage.getItem("whose")')).toBe('null');
    expect(await mine.client.result('Storage.getCookies')).toEqual({ cookies: [] });
    expect(await mine.client.result('Network.getCookies', { urls: [`${server.origin}/`] }, mine.page)).toEqual({
      cookies: [],
    });
  });

  it('reaches no folder of another', async () => {
    const v2 = createApiClient(real.address, testKey, 'v2');
    await sendForm(await formFor(v2, theirs.id, { of: 'browsers', ...upload }), 'mine');
    const { root } = await theirs.client.result('DOM.getDocument', {}, theirs.page);
    const { nodeId } = await theirs.client.result(
      'DOM.querySelector',
      { nodeId: (root as JsonObject)['nodeId'] ?? 0, selector: 'input' },
      theirs.page,
    );
    await theirs.client.result('DOM.setFileInputFiles', { nodeId: nodeId ?? 0, files: ['mine.txt'] }, theirs.page);
    expect(await evaluate(theirs, 'document.querySelector("input").files[0].text()')).toBe('mine');

    const own = await mine.client.result('DOM.getDocument', {}, mine.page);
    const input = await mine.client.result(
      'DOM.querySelector',
      { nodeId: (own['root'] as JsonObject)['nodeId'] ?? 0, selector: 'input' },
      mine.page,
    );
    const folder = `${real.dataFolder}/browsers`;
    const paths = ['mine.txt', ...real.folders().map((name) => `${folder}/${name}/uploads/mine.txt`)];
    for (const path of paths) {
      const set = await mine.client.call(
        'DOM.setFileInputFiles',
        { nodeId: input['nodeId'] ?? 0, files: [path] },
        mine.page,
      );
      expect(set).toHaveProperty('error');
      expect(await mine.client.call('Page.navigate', { url: `file://${path}` }, mine.page)).toHaveProperty('error');
    }
    expect(await evaluate(mine, 'document.querySelector("input").files.length')).toBe(0);
  });

  it('reaches no socket of another browser: only its proxy listens, and pages cannot use it', async () => {
    const open = listening();
    for (const { pid } of [mine, theirs]) {
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('remote-debugging-port');
      expect(listSockets(pid).filter((inode) => open.has(inode))).toEqual([]);
    }
    expect(readProxy(theirs)).not.toBe(readProxy(mine));
    for (const proxy of [readProxy(theirs), readProxy(mine)]) {
      const fetched = `fetch('http://${proxy}/').then((answer) => answer.status, () => 'unreachable')`;
      expect([403, 'unreachable']).toContain(await evaluate(mine, fetched));
      const socket = `new Promise((resolve) => {
        const socket = new WebSocket('ws://${proxy}/');
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('closed');
      })`;
      expect(await evaluate(mine, socket)).toBe('closed');
    }
  });

  it('ends nothing of another, whatever becomes of its own', async () => {
    await mine.client.call('Browser.close');
    await mine.client.ended;
    expect(await evaluate(theirs, 'document.title')).toBe('Shop');
    process.kill(-mine.pid, 'SIGKILL');
    expect(await evaluate(theirs, 'document.title')).toBe('Shop');
    const stopped = await real.v4.call('PATCH', `/browsers/${mine.id}`, { action: 'stop' });
    expect(stopped.body['status']).toBe('stopped');
    expect(await evaluate(theirs, 'document.title + document.cookie')).toBe('Shopwhose=theirs');
    const alive = (await real.processes()).filter(({ pid }) => pid === theirs.pid);
    expect(await Promise.all(alive.map(isAlive))).toEqual([true]);
  });
});
