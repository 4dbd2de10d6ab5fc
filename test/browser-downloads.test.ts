import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FileServer, serveFiles } from '#browsers/testing/serve-files.ts';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import type { JsonObject } from '#lib/json.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { createApiClient } from './support/api-client.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';
import { otherKey } from './support/start-backend.ts';

/** Limits: 200 KiB for a download, and 300 KiB for all downloads of a browser. */
const bounds: Readonly<Record<string, number>> = { downloadBytes: 204_800, browserDownloadBytes: 307_200 };
const smallRoom: RuleBook = {
  ...defaultRules,
  limits: {
    ...defaultRules.limits,
    limits: defaultRules.limits.limits.map((row) => {
      const value = bounds[row.limit];
      return value === undefined ? row : { ...row, value };
    }),
  },
};

let server: FileServer;
let real: RealBackend;
let id: string;
let cdpUrl: string;

beforeAll(async () => {
  server = await serveFiles();
  real = await startRealBackend({ allow: [server.host], rules: smallRoom });
});
afterAll(async () => {
  await real.stop();
  await server.close();
});
beforeEach(async () => {
  ({ id, cdpUrl } = await real.browser());
  return async () => {
    await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    server.forget();
  };
});

async function download(...urls: readonly string[]): Promise<void> {
  const client = await connectRaw(cdpUrl);
  for (const url of urls) await client.result('Target.createTarget', { url });
  client.close();
}

async function list(query = ''): Promise<JsonObject> {
  const { status, body } = await real.v4.call('GET', `/browsers/${id}/downloads${query}`);
  expect(status).toBe(200);
  return body;
}

async function files(query = ''): Promise<JsonObject[]> {
  return (await list(query))['files'] as JsonObject[];
}

async function names(query = ''): Promise<unknown[]> {
  return (await files(query)).map(({ path }) => path);
}

describe('downloads of a standalone browser', () => {
  it('are listed with safe names, one each, while it is active and after its stop', async () => {
    expect(await list()).toEqual({ files: [], nextCursor: null, hasMore: false });
    await download(server.file('a/..\\b?.txt', 'first'));
    await expect.poll(() => names()).toHaveLength(1);
    await download(server.file('a/..\\b?.txt', 'second one'));
    await expect.poll(() => names()).toHaveLength(2);
    const before = await list();
    expect(JSON.stringify(await names())).not.toMatch(/[/?]|\\\\/);
    expect((await files()).map(({ size }) => size)).toEqual(expect.arrayContaining([5, 10]));
    await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(real.folders()).toEqual([]);
    expect(await list()).toEqual(before);
  });

  it('come in pages, by their names', async () => {
    for (const name of ['c.txt', 'a.txt', 'b.txt']) await download(server.file(name, name));
    await expect.poll(() => names()).toEqual(['a.txt', 'b.txt', 'c.txt']);
    const first = await list('?limit=2');
    expect(first).toMatchObject({ files: [{ path: 'a.txt' }, { path: 'b.txt' }], hasMore: true });
    const second = await list(`?limit=2&cursor=${String(first['nextCursor'])}`);
    expect(second).toMatchObject({ files: [{ path: 'c.txt' }], hasMore: false, nextCursor: null });
    expect((await real.v4.call('GET', `/browsers/${id}/downloads?cursor=nonsense`)).status).toBe(400);
    expect((await real.v4.call('GET', `/browsers/${id}/downloads?limit=101`)).status).toBe(422);
  });

  it('can be fetched without a key for 15 minutes, as something to save', async () => {
    await download(server.file('page.html', '<script>1</script>'));
    await expect.poll(() => names()).toEqual(['page.html']);
    expect((await files())[0]?.['url']).toBeNull();
    const url = String((await files('?includeUrls=true'))[0]?.['url']);
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([200, '<script>1</script>']);
    expect(answer.headers.get('content-disposition')).toContain('attachment; filename="page.html"');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect((await fetch(url.replace('signature=', 'signature=x'))).status).toBe(403);
    real.clock.advance(899_000);
    expect((await fetch(url)).status).toBe(200);
    real.clock.advance(2_000);
    expect((await fetch(url)).status).toBe(403);
  });

  it('are invisible to other projects', async () => {
    const other = createApiClient(real.address, otherKey, 'v4');
    expect((await other.call('GET', `/browsers/${id}/downloads`)).status).toBe(404);
    expect((await real.v4.call('GET', '/browsers/4f5f9d2e-0000-4000-8000-000000000000/downloads')).status).toBe(404);
  });

  it('do not fill the disk: one that is too large is cancelled, and so is what is too much for the browser', async () => {
    await download(server.endless('too-large.bin'));
    await expect.poll(() => server.seen()).toBe(1);
    await expect.poll(() => server.open()).toBe(0);
    for (const [index, name] of ['one', 'two', 'three'].entries()) {
      await download(server.sized(name, 102_400));
      await expect.poll(() => names()).toHaveLength(index + 1);
    }
    await download(server.endless('too-much.bin'));
    await expect.poll(() => server.seen()).toBe(2);
    await expect.poll(() => server.open()).toBe(0);
    expect(await names()).toEqual(['one', 'three', 'two']);
  });

  it('stay with the browser when its Chromium crashes, and their bound too', async () => {
    for (const name of ['one', 'two', 'three']) await download(server.sized(name, 102_400));
    await expect.poll(() => names()).toHaveLength(3);
    for (const { pid } of await real.processes()) process.kill(-pid, 'SIGKILL');
    await expect.poll(() => real.folders()).toEqual([]);
    expect(await names()).toEqual(['one', 'three', 'two']);
    await download(server.sized('four', 1_024));
    // An empty file always fits, even after a file that does not fit.
    await download(server.sized('zero', 0));
    await expect.poll(() => names()).toContain('zero');
    expect(await names()).toEqual(['one', 'three', 'two', 'zero']);
  });
});

it('downloads are removed with their bytes a week after the stop of their browser', async () => {
  await download(server.file('old.txt', 'old'));
  await expect.poll(() => names()).toEqual(['old.txt']);
  const url = (): Promise<string> => files('?includeUrls=true').then(([file]) => String(file?.['url']));
  await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  const stopOther = async (): Promise<void> => {
    const other = await real.browser();
    await real.v4.call('PATCH', `/browsers/${other.id}`, { action: 'stop' });
  };
  real.clock.advance(7 * 24 * 3_600_000 - 60_000);
  await stopOther();
  const address = await url();
  expect((await fetch(address)).status).toBe(200);
  real.clock.advance(60_000);
  await stopOther();
  expect(await names()).toEqual([]);
  expect((await fetch(address)).status).toBe(404);
  expect(await real.backend.db.selectFrom('loose_blobs').selectAll().execute()).toEqual([]);
  expect(readdirSync(join(real.dataFolder, 'blobs')).length).toBe(
    (await real.backend.db.selectFrom('downloads').selectAll().execute()).length,
  );
});

/** Returns true for a full Chromium, because the bundled headless shell has no PDF viewer. */
async function hasPdfViewer(): Promise<boolean> {
  return (await findChromium()).source !== 'bundled';
}

it.each([true, false])('a PDF document is saved unless a viewer may show it: %s', async (pdfRendererEnabled) => {
  const browser = await real.browser({ pdfRendererEnabled });
  const saved = async (): Promise<unknown> =>
    (await real.v4.call('GET', `/browsers/${browser.id}/downloads`)).body['files'];
  const client = await connectRaw(browser.cdpUrl);
  await client.result('Target.createTarget', { url: server.pdf });
  const isShown = pdfRendererEnabled && (await hasPdfViewer());
  if (isShown) {
    const targets = async (): Promise<unknown> => (await client.result('Target.getTargets', {}))['targetInfos'];
    const viewer: unknown = expect.objectContaining({ url: expect.stringMatching(/^chrome-extension:/) });
    await expect.poll(targets).toContainEqual(viewer);
    await client.result('Target.createTarget', { url: server.file('after.txt', 'after') });
  }
  const wanted = isShown ? { path: 'after.txt', size: 5 } : { path: 'paper.pdf', size: 14 };
  await expect.poll(saved).toEqual([expect.objectContaining(wanted)]);
  client.close();
});
