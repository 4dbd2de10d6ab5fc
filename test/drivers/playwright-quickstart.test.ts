import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTunnel } from '../support/start-tunnel.ts';
import { png, type Stage, startStage, takePicture } from './start-stage.ts';

const playMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
}, playMs);
afterAll(() => stage.stop(), playMs);

/**
 * Runs an example from Playwright's documentation of the class Page. It uses the given browser instead of launching
 * one, and another URL and picture path; the rest is unchanged.
 */
async function example(browser: Browser, path: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${stage.origin}/post`);
  await page.screenshot({ path });
  await browser.close();
}

it.each([
  ['the cdpUrl', (cdpUrl: string) => cdpUrl],
  ['the cdpUrl with http(s)', (cdpUrl: string) => cdpUrl.replace(/^ws/, 'http')],
])(
  'the examples of Playwright run over %s as endpointURL',
  async (_name, getEndpoint) => {
    const { cdpUrl } = await stage.browser();
    // The example of connectOverCDP.
    const browser = await chromium.connectOverCDP(getEndpoint(cdpUrl));
    const defaultContext = browser.contexts()[0];
    const page = defaultContext?.pages()[0];
    await page?.goto(`${stage.origin}/post`);
    expect(await page?.title()).toBe('Post');
    expect((await takePicture((path) => example(browser, path))).subarray(0, 4)).toEqual(png);
  },
  playMs,
);

it(
  'the example of Playwright runs over a tunnel as endpointURL',
  async () => {
    const { cdpUrl } = await stage.browser();
    const tunnel = await startTunnel(cdpUrl);
    try {
      const browser = await chromium.connectOverCDP(`http://${tunnel.address}`);
      expect((await takePicture((path) => example(browser, path))).subarray(0, 4)).toEqual(png);
      expect(tunnel.complaints()).toBe('');
    } finally {
      await tunnel.stop();
    }
  },
  playMs,
);
