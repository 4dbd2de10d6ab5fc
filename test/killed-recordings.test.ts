import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ServiceProcess, startService } from '../tools/conformance/svc-process.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { logInWithKey } from './support/console-client.ts';
import { bytesOfPictures } from './support/growing-videos.ts';
import { type VideoPlayer, startVideoPlayer } from './support/play-video.ts';
import { testKey } from './support/start-backend.ts';

const waits = { timeout: 60_000, interval: 10 };
/**
 * Number of further pictures after which a new page is certainly in the video. It exceeds the number of pictures that
 * are still on their way from the page to the file.
 */
const underWay = 5;

let player: VideoPlayer;
let folder: string;
let service: ServiceProcess;

beforeAll(async () => {
  player = await startVideoPlayer();
});
afterAll(() => player.close());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-killed-'));
  // Browsers run as a separate user, which needs to enter their folders; mkdtemp forbids that.
  chmodSync(folder, 0o711);
  service = await start();
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(): Promise<ServiceProcess> {
  const data = ['--data', join(folder, 'data'), '--bootstrap-key', testKey];
  return startService({ args: ['--port', '0', ...data, '--log-level', 'error'] });
}

async function startAgain(): Promise<void> {
  await service.kill();
  service = await start();
}

const api = (version: 'v3' | 'v4'): ApiClient => createApiClient(service.address, testKey, version);

/** Returns the URL of a page of one colour. A counter in a corner makes a new picture every 100 ms. */
const page = (colour: string): string =>
  `data:text/html,${encodeURIComponent(`<body style="margin:0;background:${colour}"><p id=it>0</p><script>setInterval(() => { it.textContent++ }, 100)</script>`)}`;

/** Returns the size of each growing video, in bytes. */
const grown = (): number[] => bytesOfPictures(join(folder, 'data'));

/** Waits until the number of videos is `videos` and every video has grown `underWay` times. */
async function more(videos: number): Promise<void> {
  await expect.poll(() => grown().length, waits).toBe(videos);
  for (let count = 0; count < underWay; count += 1) {
    const before = grown();
    await expect.poll(() => grown().every((size, index) => size > (before[index] ?? 0)), waits).toBe(true);
  }
}

async function show(client: Browser, colour: string): Promise<void> {
  const [tab] = client.contexts()[0]?.pages() ?? [];
  await tab?.goto(page(colour));
  await more(1);
}

/** Returns the colours of a video, without the white of a new browser's empty page. */
async function coloursAt(address: unknown): Promise<string[]> {
  const { colours, duration } = await player.play(String(address));
  expect(duration).toBeGreaterThan(underWay * 0.1);
  return colours.filter((colour) => colour !== 'white');
}

const isEnded = ({ status }: JsonObject): boolean => ['stopped', 'error', 'finished'].includes(String(status));

it('a service that is killed while it records has every video after the next start', async () => {
  const { body: browser } = await api('v4').call('POST', '/browsers', { enableRecording: true });
  await show(await chromium.connectOverCDP(String(browser['cdpUrl'])), 'red');
  const task = `Open ${page('lime')} and wait 600 s`;
  const { body: session } = await api('v3').call('POST', '/sessions', { task, enableRecording: true });
  const sessionPath = `/sessions/${String(session['id'])}`;
  const steps = async (): Promise<unknown> => (await api('v3').call('GET', sessionPath)).body['stepCount'];
  await expect.poll(steps, waits).toBe(1);
  await more(2);
  await startAgain();

  // The task is not run again, and the browser continues in the same video.
  const ended = await api('v3').until(String(session['id']), isEnded, waits.timeout);
  expect(ended).toMatchObject({ status: 'error', isTaskSuccessful: false });
  const console = await logInWithKey(service.address, testKey);
  const ofTask = async (): Promise<unknown> => {
    const { body } = await console.call('GET', `${sessionPath}/recordings`);
    return Array.isArray(body) ? body[0] : null;
  };
  await expect.poll(ofTask, waits).toEqual(expect.any(String));
  expect(await coloursAt(await ofTask())).toEqual(['lime']);
  // The task has not completed, so its session does not list the recording.
  expect((await api('v3').call('GET', sessionPath)).body).toMatchObject({ recordingUrls: [] });

  const path = `/browsers/${String(browser['id'])}`;
  const { body: found } = await api('v4').call('GET', path);
  expect(found).toMatchObject({ status: 'active' });
  await show(await chromium.connectOverCDP(String(found['cdpUrl'])), 'blue');
  await api('v4').call('PATCH', path, { action: 'stop' });
  const ofBrowser = async (): Promise<unknown> => (await api('v4').call('GET', path)).body['recordingUrl'];
  await expect.poll(ofBrowser, waits).toEqual(expect.any(String));
  expect(await coloursAt(await ofBrowser())).toEqual(['red', 'blue']);
  expect(grown()).toEqual([]);
});
