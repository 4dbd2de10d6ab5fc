import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog } from '../testing/recording-log.ts';
import { type PageServer, servePages } from '../testing/serve-pages.ts';

let directory: string;
let server: PageServer;
let host: LocalHost;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-settle-'));
  server = await servePages({ '/': '<title>Shop</title><a href="/held" target="_blank">Open window</a>' });
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: [server.host], probe: probeOnce });
});
afterAll(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

test('a click on a link to a slow popup succeeds, and the popup comes to the front when it arrives', async () => {
  const screen = { width: 800, height: 600 };
  const browser = await host.launch({ sessionId: 'slow-popup', screen, proxyCountryCode: null });
  const tab = await browser.tab();
  await tab.open(`${server.origin}/`);
  await tab.click('Open window');
  expect(await tab.title()).toBe('Shop');
  await server.answerHeld('Slow popup');
  await expect.poll(() => tab.title()).toBe('Slow popup');
});
