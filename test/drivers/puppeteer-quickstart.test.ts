import { type Browser, connect } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTunnel } from '../support/start-tunnel.ts';
import { type Stage, startStage } from './start-stage.ts';

const playMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
}, playMs);
afterAll(() => stage.stop(), playMs);

/** Runs the example of Puppeteer's README without its launch. Only the URL of the page differs. */
async function example(browser: Browser): Promise<string> {
  const page = await browser.newPage();
  await page.goto(`${stage.origin}/search`);
  await page.setViewport({ width: 1080, height: 1024 });
  await page.keyboard.press('/');
  await page.locator('::-p-aria(Search)').fill('automate beyond recorder');
  await page.locator('.devsite-result-item-link').click();
  const textSelector = await page.locator('::-p-text(Customize and automate)').waitHandle();
  const fullTitle = await textSelector.evaluate((element: { textContent: string }) => element.textContent);
  await browser.close();
  return fullTitle;
}

it(
  'the example of Puppeteer runs over the cdpUrl as browserWSEndpoint',
  async () => {
    const { cdpUrl } = await stage.browser();
    const browser = await connect({ browserWSEndpoint: cdpUrl });
    expect(await example(browser)).toBe('Customize and automate user flows');
  },
  playMs,
);

it(
  'the example of Puppeteer runs over the cdpUrl with http(s) as browserURL',
  async () => {
    const { cdpUrl } = await stage.browser();
    const browser = await connect({ browserURL: cdpUrl.replace(/^ws/, 'http') });
    expect(await example(browser)).toBe('Customize and automate user flows');
  },
  playMs,
);

it(
  'the example of Puppeteer runs over a tunnel as browserURL',
  async () => {
    const { cdpUrl } = await stage.browser();
    const tunnel = await startTunnel(cdpUrl);
    try {
      const browser = await connect({ browserURL: `http://${tunnel.address}` });
      expect(await example(browser)).toBe('Customize and automate user flows');
      expect(tunnel.complaints()).toBe('');
    } finally {
      await tunnel.stop();
    }
  },
  playMs,
);
