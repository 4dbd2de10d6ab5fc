import { mkdtempSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '#backend/browsers/find-chromium.ts';
import { createLocalHost } from '#backend/browsers/index.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

const page = `data:text/html,${encodeURIComponent('<title>Shown live</title><body style="background:#c81e3c"><h1>Shown live</h1>')}`;

describe('a live view', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-live-'));
  let started: StartedBackend;
  let viewer: Browser;
  let embedding: Server;
  let embedded = '';

  beforeAll(async () => {
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    started = await startBackend({ host: await createLocalHost({ directory: join(folder, 'browsers'), log }) });
    const { path, environment } = await findChromium();
    viewer = await chromium.launch({
      executablePath: path,
      args: ['--no-sandbox'],
      env: { ...process.env, ...environment },
    });
    embedding = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<h1>A page of a customer</h1><iframe src="${embedded}" style="width:800px;height:500px"></iframe>`);
    });
    await new Promise<void>((resolve) => embedding.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await viewer.close();
    await started.stop();
    await new Promise((resolve) => embedding.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the page in an iframe of another page, and says so when the browser has ended', async () => {
    const api = createApiClient(started.address);
    const created = await api.call('POST', '/sessions', {
      task: `Open ${page} and tell me the title`,
      keepAlive: true,
    });
    const session = await api.until(String(created.body['id']), (found) => found['status'] === 'idle');
    expect(session).toMatchObject({ isTaskSuccessful: true, output: expect.stringContaining('Shown live') });

    embedded = String(session['liveUrl']);
    const tab = await viewer.newPage();
    await tab.goto(`http://127.0.0.1:${(embedding.address() as AddressInfo).port}/`, { waitUntil: 'commit' });
    const frame = tab.frameLocator('iframe');
    // The picture is the page's own red, not a blank or broken image.
    await expect.poll(() => frame.locator('#frame').evaluate(middlePixel), { timeout: 20_000 }).toEqual('red');

    await api.call('POST', `/sessions/${String(session['id'])}/stop`);
    await frame.locator('#note').waitFor({ state: 'visible', timeout: 20_000 });
    await tab.close();
  });
});

/** Runs in the page: what colour the picture has in its middle. */
function middlePixel(element: unknown): string {
  const scope = globalThis as unknown as { document: { createElement(name: string): Canvas } };
  const image = element as { naturalWidth: number; naturalHeight: number };
  const canvas = scope.document.createElement('canvas');
  if (image.naturalWidth === 0) return 'nothing';
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d');
  context.drawImage(element, 0, 0);
  const [red = 0, green = 0, blue = 0] = context.getImageData(
    image.naturalWidth / 2,
    image.naturalHeight / 2,
    1,
    1,
  ).data;
  return red > 150 && green < 80 && blue < 110 ? 'red' : `rgb(${red},${green},${blue})`;
}

interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): {
    drawImage(image: unknown, x: number, y: number): void;
    getImageData(x: number, y: number, w: number, h: number): { data: number[] };
  };
}

function ignore(): void {}
