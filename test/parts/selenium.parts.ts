import { Builder } from 'selenium-webdriver';
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { play, wanted } from '../drivers/play.ts';
import { connectSelenium } from '../drivers/selenium-driver.ts';
import { type Stage, startStage } from '../drivers/start-stage.ts';
import { type StartedTunnel, startTunnel } from '../support/start-tunnel.ts';
import { parts, systemPart } from './system-part.ts';

const playMs = 180_000;
let chromedriver: string;
let stage: Stage | null = null;
let tunnel: StartedTunnel | null = null;

beforeAll(async () => {
  chromedriver = systemPart(parts.chromedriver);
  // chromedriver refuses a Chromium of another version.
  stage = await startStage({ CHROMIUM_PATH: systemPart(parts.chromium) });
}, playMs);
afterAll(async () => {
  await tunnel?.stop();
  await stage?.stop();
}, playMs);

it(
  'Selenium plays the whole script through a tunnel, closes everything, and finds its page again',
  async () => {
    if (stage === null) throw new Error('The service did not start.');
    const { id, cdpUrl, world } = await stage.browser();
    tunnel = await startTunnel(cdpUrl);
    expect(await play(connectSelenium(chromedriver), tunnel.address, world)).toEqual(wanted);
    const list: unknown = await (await fetch(`http://${tunnel.address}/json/list`)).json();
    expect(list).toEqual([expect.objectContaining({ type: 'page', title: 'Desk of Ada', url: `${stage.origin}/` })]);
    expect(tunnel.complaints()).toBe('');
    const { body } = await stage.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(body['status']).toBe('stopped');
  },
  playMs,
);

it(
  "the quick start of Selenium's README runs over a tunnel as debuggerAddress",
  async () => {
    if (stage === null) throw new Error('The service did not start.');
    const { cdpUrl } = await stage.browser();
    const open = await startTunnel(cdpUrl);
    try {
      const driver = await new Builder()
        .forBrowser('chrome')
        .setChromeOptions(new Options().debuggerAddress(open.address))
        .setChromeService(new ServiceBuilder(chromedriver))
        .build();
      try {
        await driver.get(`${stage.origin}/post`);
        expect(await driver.getTitle()).toBe('Post');
      } finally {
        await driver.quit();
      }
      expect(open.complaints()).toBe('');
    } finally {
      await open.stop();
    }
  },
  playMs,
);
