import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTunnel } from '../support/start-tunnel.ts';
import { type Stage, startStage } from './start-stage.ts';

const playMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
}, playMs);
afterAll(() => stage.stop(), playMs);

/** First bytes of a PNG picture. */
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Path of a Python interpreter. The test needs the Python package playwright, which may be missing. */
const python = process.env['PYTHON_PATH'] ?? 'python3';
const hasPython = spawnSync(python, ['-c', 'import playwright']).status === 0;

/** Calls `take` with a temporary path, and returns the picture that `take` writes to this path. */
async function picture(take: (path: string) => Promise<unknown>): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-quickstart-'));
  try {
    const path = join(folder, 'screenshot.png');
    await take(path);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
    expect((await picture((path) => example(browser, path))).subarray(0, 4)).toEqual(png);
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
      expect((await picture((path) => example(browser, path))).subarray(0, 4)).toEqual(png);
      expect(tunnel.complaints()).toBe('');
    } finally {
      await tunnel.stop();
    }
  },
  playMs,
);

it.runIf(hasPython)(
  'the example of Playwright for Python runs over the cdpUrl as endpoint_url',
  async () => {
    const { cdpUrl } = await stage.browser();
    const args = [join(import.meta.dirname, 'playwright-quickstart.py'), cdpUrl, `${stage.origin}/post`];
    const taken = await picture((path) => promisify(execFile)(python, [...args, path]));
    expect(taken.subarray(0, 4)).toEqual(png);
  },
  playMs,
);
