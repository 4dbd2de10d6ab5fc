import { afterAll, beforeAll, expect, it } from 'vitest';
import { play, wanted } from './play.ts';
import { connectPlaywright } from './playwright-driver.ts';
import { connectPuppeteer } from './puppeteer-driver.ts';
import { type Stage, startStage } from './start-stage.ts';

const playMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
}, playMs);
afterAll(() => stage.stop(), playMs);

it.each([
  ['Playwright', connectPlaywright],
  ['Puppeteer', connectPuppeteer],
])(
  '%s plays the whole script, closes everything, and finds its page again',
  async (_name, connect) => {
    const { id, cdpUrl, world } = await stage.browser();
    expect(await play(connect, cdpUrl, world)).toEqual(wanted);
    const list: unknown = await (await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/list`)).json();
    expect(list).toEqual([expect.objectContaining({ type: 'page', title: 'Desk of Ada', url: `${stage.origin}/` })]);
    expect((await stage.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' })).body['status']).toBe('stopped');
  },
  playMs,
);
