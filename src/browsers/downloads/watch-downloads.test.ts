import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import type { LocalBrowser } from '../local-browser.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog, type RecordingLog } from '../testing/recording-log.ts';
import { type FileServer, serveFiles } from '../testing/serve-files.ts';
import type { DownloadRules, FinishedDownload } from './downloads.ts';

const roomy = { fileBytesMax: 1_000_000, bytesMax: 1_000_000, filesMax: 10 };

let directory: string;
let server: FileServer;
let log: RecordingLog;
let host: LocalHost;
let count = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-downloads-'));
  server = await serveFiles();
  log = createRecordingLog();
  host = await createLocalHost({ directory, log, allow: [server.host], probe: probeOnce });
});
afterAll(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

function launch(downloads?: DownloadRules): Promise<LocalBrowser> {
  count += 1;
  const named = { sessionId: `downloads-${count}`, screen: { width: 800, height: 600 }, proxyCountryCode: null };
  return host.launch({ ...named, ...(downloads === undefined ? {} : { downloads }) });
}

interface Guest {
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  leave(): Promise<void>;
}

/**
 * Attaches an external DevTools client to a browser. `ask` sends a command, and returns the result or the error of the
 * reply.
 */
async function enter(browser: LocalBrowser): Promise<Guest> {
  const replies = new Map<number, (result: JsonObject) => void>();
  let last = 0;
  const client = await browser.attach({
    message: ({ id, result, error }) => replies.get(id ?? 0)?.(result ?? error ?? {}),
    closed: () => undefined,
  });
  return {
    ask(method, params = {}) {
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      replies.set((last += 1), resolve);
      client.send({ id: last, method, params });
      return promise;
    },
    leave: () => client.close(),
  };
}

function contents(files: readonly FinishedDownload[]): Promise<[string, number, string][]> {
  return Promise.all(
    files.map(async ({ name, size, path }) => [name, size, await readFile(path, 'utf8')] as const),
  ).then((rows) => rows.map((row) => [...row]));
}

describe('downloads of a browser', () => {
  it('are listed with their names and bytes, and go with the browser', async () => {
    const browser = await launch(roomy);
    const guest = await enter(browser);
    await guest.ask('Target.createTarget', { url: server.file('../../price list.txt', 'apples') });
    await expect.poll(() => browser.downloads().length).toBe(1);
    await guest.ask('Target.createTarget', { url: server.file('more.txt', '') });
    await expect.poll(() => browser.downloads().length).toBe(2);
    expect(await contents(browser.downloads())).toEqual([
      [expect.stringContaining('price list.txt'), 6, 'apples'],
      ['more.txt', 0, ''],
    ]);
    const folder = dirname(browser.downloads()[0]?.path ?? '');
    expect(await readdir(browser.downloadFolder)).toEqual([]);
    await browser.stop();
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it('are passed to the receiver, and the end of the browser waits for it', async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<FinishedDownload>();
    const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>();
    const kept: string[] = [];
    const browser = await launch({
      ...roomy,
      async keep(file) {
        tell(file);
        await mayGo;
        kept.push(await readFile(file.path, 'utf8'));
      },
    });
    await (await enter(browser)).ask('Target.createTarget', { url: server.file('kept.txt', 'kept') });
    expect(await told).toMatchObject({ name: 'kept.txt', size: 4 });
    // Like a crash: an unexpected end.
    process.kill(-browser.pid, 'SIGKILL');
    // Starting and stopping another browser takes longer than the end of the killed browser would take without the
    // receiver.
    const other = launch(roomy).then((second) => second.stop());
    const end = browser.ended.then(() => 'ended');
    expect(await Promise.race([end, other.then(() => 'still there')])).toBe('still there');
    letGo();
    expect((await browser.ended).expected).toBe(false);
    expect(kept).toEqual(['kept']);
    expect(browser.downloads()).toEqual([]);
  });

  it('are all kept when they have one name, whatever a client wants of names', async () => {
    const browser = await launch(roomy);
    const guest = await enter(browser);
    for (const [index, behavior] of ['allow', 'allow', 'allowAndName'].entries()) {
      const params = { behavior, downloadPath: browser.downloadFolder };
      expect(await guest.ask('Browser.setDownloadBehavior', params)).toEqual({});
      await guest.ask('Target.createTarget', { url: server.file('same.txt', `number ${index}`) });
      await expect.poll(() => browser.downloads().length).toBe(index + 1);
    }
    expect((await contents(browser.downloads())).map(([, , text]) => text)).toEqual([
      'number 0',
      'number 1',
      'number 2',
    ]);
    await browser.stop();
  });

  it('work in contexts that clients make, and again when a client that wanted otherwise has left', async () => {
    const browser = await launch(roomy);
    const [one, two] = [await enter(browser), await enter(browser)];
    const { browserContextId = '' } = await one.ask('Target.createBrowserContext');
    await one.ask('Target.createTarget', { url: server.file('context.txt', '1'), browserContextId });
    await expect.poll(() => browser.downloads().map(({ name }) => name)).toEqual(['context.txt']);
    await two.ask('Browser.setDownloadBehavior', { behavior: 'deny' });
    await two.ask('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
    await one.ask('Target.createTarget', { url: server.endless('denied.bin') });
    await one.ask('Target.createTarget', { url: server.endless('denied.bin'), browserContextId });
    await expect.poll(() => server.seen()).toBe(2);
    await expect.poll(() => server.open()).toBe(0);
    server.forget();
    await two.leave();
    await one.ask('Target.createTarget', { url: server.file('after.txt', '3') });
    await one.ask('Target.createTarget', { url: server.file('after.txt', '3'), browserContextId });
    await expect
      .poll(() => browser.downloads().map(({ name }) => name))
      .toEqual(['context.txt', 'after.txt', 'after.txt']);
    await browser.stop();
  });

  it('are cancelled with their bytes when one grows too large or claims to, also in a context of its own', async () => {
    const browser = await launch({ ...roomy, fileBytesMax: 200_000 });
    const guest = await enter(browser);
    const { browserContextId = '' } = await guest.ask('Target.createBrowserContext');
    for (const url of [server.endless('claims.bin', 200_001), server.endless('grows.bin')]) {
      await guest.ask('Target.createTarget', { url });
      await guest.ask('Target.createTarget', { url, browserContextId });
      await expect.poll(() => server.seen()).toBe(2);
      await expect.poll(() => server.open()).toBe(0);
      server.forget();
    }
    await expect.poll(() => readdir(browser.downloadFolder)).toEqual([]);
    await guest.ask('Target.createTarget', { url: server.file('small.txt', 'still') });
    await expect.poll(() => browser.downloads().map(({ name }) => name)).toEqual(['small.txt']);
    await browser.stop();
  });

  it('are cancelled when all together have too many bytes, or are too many', async () => {
    const browser = await launch({ fileBytesMax: 10, bytesMax: 12, filesMax: 3 });
    const guest = await enter(browser);
    const names = (): string[] => browser.downloads().map(({ name }) => name);
    await guest.ask('Target.createTarget', { url: server.file('one', '1234567890') });
    await expect.poll(names).toEqual(['one']);
    await guest.ask('Target.createTarget', { url: server.file('too much', '123') });
    await guest.ask('Target.createTarget', { url: server.file('two', '12') });
    await expect.poll(names).toEqual(['one', 'two']);
    await guest.ask('Target.createTarget', { url: server.file('three', '') });
    await expect.poll(names).toEqual(['one', 'two', 'three']);
    await guest.ask('Target.createTarget', { url: server.endless('one too many') });
    await expect.poll(() => server.seen()).toBe(1);
    await expect.poll(() => server.open()).toBe(0);
    server.forget();
    expect(names()).toEqual(['one', 'two', 'three']);
    await expect.poll(() => readdir(browser.downloadFolder)).toEqual([]);
    await browser.stop();
  });

  it('are impossible in a browser without download limits, whatever its clients set', async () => {
    const browser = await launch();
    const guest = await enter(browser);
    await guest.ask('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: browser.downloadFolder });
    await guest.ask('Target.createTarget', { url: server.endless('none.bin') });
    await expect.poll(() => server.seen()).toBe(1);
    await expect.poll(() => server.open()).toBe(0);
    server.forget();
    await expect.poll(() => readdir(browser.downloadFolder)).toEqual([]);
    expect(browser.downloads()).toEqual([]);
    await browser.stop();
  });

  it('that cannot be kept are let go, and told', async () => {
    const browser = await launch({ ...roomy, keep: () => Promise.reject(new Error('no room')) });
    await (await enter(browser)).ask('Target.createTarget', { url: server.file('lost.txt', 'lost') });
    await expect.poll(() => log.warnings).toContain('a download could not be kept');
    expect(browser.downloads()).toEqual([]);
    await browser.stop();
  });
});
