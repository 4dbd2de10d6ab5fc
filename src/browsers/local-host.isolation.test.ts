import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listProcesses } from './isolation/process-status.ts';
import type { LocalBrowser } from './local-browser.ts';
import { createLocalHost, type LocalHost } from './local-host.ts';
import { createRecordingLog } from './testing/recording-log.ts';
import { type PageServer, servePages } from './testing/serve-pages.ts';

const mebibyte = 1024 * 1024;
const bounds = { memoryBytes: 500 * mebibyte, diskBytes: 1024 * mebibyte };
const screen = { width: 1280, height: 800 };

let directory: string;
let server: PageServer;
let host: LocalHost;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-isolation-'));
  server = await servePages({
    '/': '<title>Small</title>',
    '/large': `<title>Large</title><script>
      const kept = []; setInterval(() => kept.push(new Uint8Array(50 * 1048576).fill(1)), 20);</script>`,
  });
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: [server.host], bounds });
});
afterEach(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

function launch(sessionId: string): Promise<LocalBrowser> {
  return host.launch({ sessionId, screen, proxyCountryCode: null });
}

test('ends a browser that takes too much memory, reports the reason to its clients, and keeps other browsers', async () => {
  const [greedy, modest] = await Promise.all([launch('greedy'), launch('modest')]);
  const told = Promise.withResolvers<string>();
  await greedy.attach({ message: () => undefined, closed: told.resolve });
  // The page may be gone before the navigation is answered.
  await (await greedy.tab()).open(`${server.origin}/large`).catch(() => undefined);
  const reason = /^The browser was ended: it used \d+ MiB of memory of at most 500 MiB\.$/;
  expect(await greedy.ended).toEqual({ expected: false, detail: expect.stringMatching(reason) });
  expect(await told.promise).toMatch(reason);
  const tab = await modest.tab();
  await tab.open(`${server.origin}/`);
  expect(await tab.title()).toBe('Small');
  await modest.stop();
  expect(await readdir(directory)).toEqual([]);
});

test('a host says what it does and what really holds its pages, before and while browsers run', async () => {
  const before = await host.inspect?.();
  expect(before).toMatchObject({ running: 0, waiting: 0, ready: 0 });
  expect(before?.isolation).toMatchObject({ ownGroup: true, egressProxy: true, bounds: { ...bounds, by: 'polling' } });
  expect(await readdir(directory)).toEqual([]);

  const browser = await launch('seen');
  const after = await host.inspect?.();
  expect([after?.running, after?.isolation]).toEqual([1, before?.isolation]);
  // The process table must confirm the report. All processes of a browser are in the process group of its main process.
  const group = (await listProcesses()).filter((process) => process.group === browser.pid);
  expect(new Set(group.map(({ uid }) => uid))).toEqual(new Set([after?.isolation.uid]));
  const deepest = Math.max(...group.map(({ pidNamespaces }) => pidNamespaces));
  expect(after?.isolation).toMatchObject({
    ownUser: after?.isolation.uid !== process.getuid?.(),
    pidNamespace: deepest > 1,
    seccomp: group.some(({ isFiltered }) => isFiltered),
    sandbox: deepest > 1 ? 'namespaces' : expect.stringMatching(/^(seccomp only|none)$/),
  });
  await browser.stop();
});
