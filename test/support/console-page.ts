import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { testKey } from './start-backend.ts';

/** Window size of a desktop. */
export const desktop = { width: 1280, height: 860 };

/** A browser, and the URL of the console. */
export interface ConsolePlace {
  readonly browser: Browser;
  readonly address: string;
}

/** Starts the Chromium of the machine in headless mode. */
export async function launchChromium(): Promise<Browser> {
  const { path, environment } = await findChromium();
  const env = { ...process.env, ...environment };
  return chromium.launch({ executablePath: path, args: ['--no-sandbox'], env });
}

/**
 * Opens an empty page for the console. The test fails when the page sends a request to another service or writes an
 * error.
 */
export async function openPage({ browser, address }: ConsolePlace, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: desktop, locale: 'en', ...options });
  context.setDefaultTimeout(60_000);
  const complaints = watch(context, address);
  onTestFinished(async () => {
    expect(complaints).toEqual([]);
    await context.close();
  });
  return context.newPage();
}

function watch(context: BrowserContext, address: string): string[] {
  const complaints: string[] = [];
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) complaints.push(`asked for ${url}`);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    const { url } = message.location();
    // Chromium logs every 401 of a page without a login. A 404 tells a live view that its browser has ended, and tells
    // the page that a picture's URL has expired.
    const isTold =
      message.text().includes('401') || (message.text().includes('404') && /\/(live|screenshots)\//.test(url));
    if (message.type() === 'error' && !isTold) complaints.push(`${message.text()} ${url}`);
  });
  return complaints;
}

/** Opens the console, logs in with a key, and waits for the list of tasks. */
export async function logInAt(page: Page, address: string, key: string = testKey): Promise<void> {
  await page.goto(address);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
}

/** Navigates to a part of the console by its menu. */
export async function goToPart(page: Page, part: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation', { name: 'Parts of the console' }).getByRole('link', { name: part }).click();
  await page.getByRole('heading', { name: part, level: 1 }).waitFor({ state: 'attached' });
}
