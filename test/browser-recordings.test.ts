import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOwner } from '#browsers/launch/folder-owner.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type VideoPlayer, startVideoPlayer } from './support/play-video.ts';
import { type Running, type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

/** Returns the URL of a page of one colour. A counter in a corner makes a new picture every 100 ms. */
const page = (colour: string): string =>
  `data:text/html,${encodeURIComponent(`<title>${colour}</title><body style="margin:0;background:${colour}"><p id=it>0</p>
<script>setInterval(() => { it.textContent = Number(it.textContent) + 1; }, 100)</script>`)}`;

/**
 * Number of further pictures after which a new page is certainly in the video. It exceeds the number of pictures that
 * are still on their way from the page to the file.
 */
const underWay = 5;
const waits = { timeout: 60_000, interval: 10 };
const pollTimeout = 300_000;

let player: VideoPlayer;
let agent: ScriptedAgent;
let started: RealBackend;
let v3: ApiClient;

beforeAll(async () => {
  player = await startVideoPlayer();
});
afterAll(() => player.close());
beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startRealBackend({ agent });
  v3 = createApiClient(started.address);
});
afterEach(() => started.stop());

/** Returns the total size of all recording files, in bytes. */
function grown(): number {
  const folder = join(started.dataFolder, 'recordings');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Opens a page and waits until the video shows it. */
async function show(running: Running, colour: string): Promise<void> {
  await (await running.world.tab()).open(page(colour));
  await more();
}

async function more(): Promise<void> {
  for (let count = 0; count < underWay; count += 1) {
    const before = grown();
    await expect.poll(grown, waits).toBeGreaterThan(before);
  }
}

async function recorded(goal: string, body: JsonObject = {}): Promise<{ id: string; running: Running }> {
  const created = await v3.call('POST', '/sessions', { task: goal, enableRecording: true, ...body });
  await expect.poll(() => agent.running.has(goal), waits).toBe(true);
  const running = await waitForTask(agent, goal);
  await expect.poll(grown, waits).toBeGreaterThan(0);
  return { id: String(created.body['id']), running };
}

const hasRecording = (found: JsonObject): boolean =>
  Array.isArray(found['recordingUrls']) && found['recordingUrls'].length > 0;

const listRecordingUrls = (session: JsonObject): string[] => session['recordingUrls'] as string[];

/**
 * Returns the size of the viewport, rounded down to even numbers for VP8. In a full Chromium, the bars of the window
 * reduce the viewport.
 */
async function readView(client: Browser): Promise<{ width: number; height: number }> {
  const [tab] = client.contexts()[0]?.pages() ?? [];
  if (tab === undefined) throw new Error('no page');
  return tab.evaluate<{ width: number; height: number }>('({ width: innerWidth & ~1, height: innerHeight & ~1 })');
}

async function viewOfAnother(): Promise<{ width: number; height: number }> {
  const { id, cdpUrl } = await started.browser();
  const client = await chromium.connectOverCDP(cdpUrl);
  const view = await readView(client);
  await client.close();
  await started.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  return view;
}

describe('a recording of a V3 session', { timeout: pollTimeout }, () => {
  it('is a video of the task that a browser plays, at an address that needs no key', async () => {
    const { id, running } = await recorded('paint', { keepAlive: true });
    await show(running, 'red');
    expect((await v3.call('GET', `/sessions/${id}`)).body).toMatchObject({ status: 'running', recordingUrls: [] });
    await show(running, 'blue');
    running.finish({ success: true, output: null });
    const [address = ''] = listRecordingUrls(await v3.until(id, hasRecording, waits.timeout));
    const played = await player.play(address);
    expect(played).toMatchObject({ ...(await viewOfAnother()), colours: ['white', 'red', 'blue'] });
    expect(played.duration).toBeGreaterThan(2 * underWay * 0.1);
  });
});

const browserFolders = (): string[] => readdirSync(join(started.dataFolder, 'browsers'));

/** Opens a page through a DevTools client and waits until the video shows it. */
async function showThrough(client: Browser, colour: string): Promise<void> {
  const [tab] = client.contexts()[0]?.pages() ?? [];
  await tab?.goto(page(colour));
  await more();
}

async function killEncoder(): Promise<void> {
  const [name = ''] = browserFolders().filter((folder) => folder.startsWith('encoder-'));
  const owner = await readOwner(join(started.dataFolder, 'browsers', name, 'owner.json'));
  process.kill(owner?.browser?.pid ?? Number.NaN, 'SIGKILL');
}

describe('a recording of a standalone browser', { timeout: pollTimeout }, () => {
  it('is one video although its encoder and its Chromium were killed, and leaves nothing behind', async () => {
    const { id, cdpUrl } = await started.browser({ enableRecording: true });
    const first = await chromium.connectOverCDP(cdpUrl);
    await showThrough(first, 'red');
    const view = await readView(first);
    await killEncoder();
    await showThrough(first, 'lime');
    const [main] = await started.processes();
    process.kill(main?.pid ?? Number.NaN, 'SIGKILL');
    await expect.poll(() => started.folders(), waits).toEqual([]);
    const second = await chromium.connectOverCDP(cdpUrl);
    await showThrough(second, 'blue');
    const stopped = await started.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(stopped.body).toMatchObject({ recordingUrl: null, recordingAvailable: true });
    const address = async (): Promise<unknown> =>
      (await started.v4.call('GET', `/browsers/${id}`)).body['recordingUrl'];
    await expect.poll(address, waits).toEqual(expect.any(String));
    const { colours, ...played } = await player.play(String(await address()));
    expect(colours.filter((colour) => colour !== 'white')).toEqual(['red', 'lime', 'blue']);
    expect(played).toMatchObject(view);
    await expect.poll(browserFolders, waits).toEqual([]);
    expect(grown()).toBe(0);
  });
});
