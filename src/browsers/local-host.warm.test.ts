import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LaunchOptions } from './host.ts';
import { readOwner } from './launch/folder-owner.ts';
import { isAlive } from './isolation/process-table.ts';
import type { LocalBrowser } from './local-browser.ts';
import { createLocalHost, type LocalHost } from './local-host.ts';
import { probeOnce } from './testing/probe-once.ts';
import { createRecordingLog } from './testing/recording-log.ts';
import { type PageServer, servePages } from './testing/serve-pages.ts';

const proxy = { scheme: 'http', host: '192.0.2.1', port: 1, username: null, password: null } as const;
/** Polling options. Their timeout is long enough for the start of a Chromium on a loaded machine. */
const pollOptions = { timeout: 60_000 };
const like = { screen: { width: 1280, height: 800 }, proxyCountryCode: 'us' };

let directory: string;
let server: PageServer;
let host: LocalHost;
let names = 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-warm-'));
  server = await servePages({
    '/': '<title>Shop</title><a href="/file" download="file.txt">Get</a>',
    '/file': 'twelve bytes',
    '/cookie': '<title>none</title><script>document.title=document.cookie||"none"; document.cookie="who=me"</script>',
  });
  host = await createLocalHost({
    probe: probeOnce,
    directory,
    log: createRecordingLog(),
    allow: [server.host],
    warm: { size: 1, like },
    // Disables the check of processor load.
    pressureMax: 100,
  });
});
afterEach(async () => {
  await host.close();
  await server.close();
  // Fails when a browser has left a folder.
  await rmdir(directory);
});

function launch(change: Partial<LaunchOptions> = {}): Promise<LocalBrowser> {
  names += 1;
  return host.launch({ ...like, sessionId: `named-${names}`, ...change });
}

/**
 * Waits until exactly one browser runs besides `others`: the warm browser, which the host has started in advance.
 * Returns the id of its main process.
 */
async function keptPid(others: readonly number[] = []): Promise<number> {
  let kept: number[] = [];
  await expect
    .poll(async () => {
      const pids = await Promise.all((await readdir(directory)).map(getPid));
      kept = pids.filter((pid) => pid !== 0 && !others.includes(pid));
      return kept.length;
    }, pollOptions)
    .toBe(1);
  return kept[0] ?? 0;
}

async function getPid(folder: string): Promise<number> {
  const owner = await readOwner(join(directory, folder, 'owner.json'));
  return owner?.browser?.pid ?? 0;
}

/**
 * Waits for the warm browser, and launches browsers until a launch returns the warm browser. Stops every other browser
 * that it launches.
 */
async function takeKept(others: readonly LocalBrowser[], change: Partial<LaunchOptions> = {}): Promise<LocalBrowser> {
  const kept = await keptPid(others.map(({ pid }) => pid));
  for (;;) {
    const browser = await launch(change);
    if (browser.pid === kept) return browser;
    await browser.stop();
  }
}

test('a browser that was kept ready is handed out whole: named, empty, with its downloads and its meter at zero', async () => {
  const kept = await keptPid();
  const downloads = { fileBytesMax: 1_000, bytesMax: 1_000, filesMax: 5 };
  const browser = await launch({ downloads, allowsResizing: false });
  // The first launch may have come before the pool was ready. In that case, take the warm browser with a later launch.
  const taken = browser.pid === kept ? browser : await takeKept([browser], { downloads, allowsResizing: false });
  expect([taken.allowsResizing, taken.trafficBytes(), taken.downloads()]).toEqual([false, 0, []]);
  expect(taken.sessionId).toMatch(/^named-/);
  const tab = await taken.tab();
  expect(await tab.url()).toBe('about:blank');
  await tab.open(`${server.origin}/`);
  expect(taken.trafficBytes()).toBeGreaterThan(0);
  await tab.click('Get');
  await expect.poll(() => taken.downloads().map(({ name, size }) => [name, size])).toEqual([['file.txt', 12]]);
  await Promise.all([taken.stop(), browser.stop()]);
});

test('what was used is never handed out again', async () => {
  const seen = new Set<number>();
  for (let round = 0; round < 4; round += 1) {
    const browser = await takeKept([]);
    expect(seen).not.toContain(browser.pid);
    seen.add(browser.pid);
    const tab = await browser.tab();
    await tab.open(`${server.origin}/cookie`);
    expect(await tab.title()).toBe('none');
    await browser.stop();
  }
});

test('starts another browser for different settings and keeps the warm browser', async () => {
  const kept = await keptPid();
  const others = await Promise.all([
    launch({ screen: { width: 801, height: 602 } }),
    launch({ proxyCountryCode: null }),
    launch({ customProxy: { ...proxy, ignoreCertErrors: true } }),
  ]);
  expect(others.map(({ pid }) => pid)).not.toContain(kept);
  expect(await keptPid(others.map(({ pid }) => pid))).toBe(kept);
  await Promise.all(others.map((browser) => browser.stop()));
});

test('one that dies while it waits goes with its folder, and the next launch starts another', async () => {
  const kept = await keptPid();
  process.kill(kept, 'SIGKILL');
  await expect.poll(() => readdir(directory)).toEqual([]);
  const browser = await launch();
  expect(await (await browser.tab()).url()).toBe('about:blank');
  await browser.stop();
});

test('ends the unused browser when the host closes', async () => {
  const kept = await keptPid();
  const [folder = ''] = await readdir(directory);
  const owner = await readOwner(join(directory, folder, 'owner.json'));
  expect(owner?.browser?.pid).toBe(kept);
  await host.close();
  if (owner?.browser) expect(await isAlive(owner.browser)).toBe(false);
});
