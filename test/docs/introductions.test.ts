import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import type { StartedMock } from '../../src/cli/mock/mock-flags.ts';
import { writeDocs } from '../../src/cli/spec/write-docs.ts';
import { type Form, sendForm } from '../support/upload-form.ts';
import { introductionKey, startIntroductionMock } from './introduction-mock.ts';
import { readExamples, introductions } from './introductions.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * Folder in which the tests save screenshots of the introductions for people to look at. Undefined without
 * SVC_CONSOLE_PICTURES.
 */
const pictures = process.env['SVC_CONSOLE_PICTURES'];
const versions = ['v4', 'v3', 'v2'] as const;
const sizes = [
  { name: 'phone', viewport: { width: 390, height: 844 } },
  { name: 'desktop', viewport: { width: 1280, height: 900 } },
] as const;
const colorSchemes = ['light', 'dark'] as const;

const folder = mkdtempSync(join(tmpdir(), 'svc-introductions-'));
let mock: StartedMock;
let browser: Browser;

beforeAll(async () => {
  mock = await startIntroductionMock();
  const { path, environment } = await findChromium();
  const env = { ...process.env, ...environment };
  browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'], env });
});
afterAll(async () => {
  await browser.close();
  await mock.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program with the variables that the introductions name; rejects for any exit code but 0. */
async function run(program: string, words: readonly string[], others: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, SERVICE_URL: mock.address, SERVICE_API_KEY: introductionKey, ...others };
  const { stdout } = await promisify(execFile)(program, words, { env, timeout: 60_000 });
  return stdout;
}

describe('the first request of an introduction', () => {
  it.each(versions)('creates and reads a task of %s with curl', async (version) => {
    const [create = '', read = ''] = readExamples(version, 'sh');
    const { id }: { id: string } = JSON.parse(await run('sh', ['-c', create]));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const seen: unknown = JSON.parse(await run('sh', ['-c', read], { ID: id }));
    expect(seen).toMatchObject({ id, status: expect.any(String) });
  });

  it('of V4 is followed by a request for an upload form, which takes a file of a browser', async () => {
    const headers = { 'X-Service-API-Key': introductionKey, 'Content-Type': 'application/json' };
    const created = await fetch(`${mock.address}/api/v4/browsers`, { method: 'POST', headers, body: '{}' });
    const { id } = (await created.json()) as { id: string };
    const form: Form = JSON.parse(await run('sh', ['-c', readExamples('v4', 'sh')[2] ?? ''], { BROWSER: id }));
    expect(form).toMatchObject({ fileName: 'notes.txt', expiresIn: expect.any(Number) });
    expect(await sendForm(form, 'abc')).toMatchObject({ status: 200, body: { fileName: 'notes.txt', size: 3 } });
  });

  it('is a program in TypeScript that compiles and prints the result', async () => {
    const files = versions.map((version) => {
      const [program = ''] = readExamples(version, 'ts');
      const file = join(folder, `${version}.mts`);
      writeFileSync(file, program);
      return file;
    });
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    const strict = ['--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--ignoreConfig'];
    await run('tsc', [...strict, ...types, '--checkers', '1', ...files]);
    for (const file of files)
      expect(await run(process.execPath, [file])).toMatch(/^(?:completed|stopped|idle|finished) .*example/i);
  });
});

type Version = (typeof versions)[number];

/**
 * Opens the introduction of a version in a window of the size of a phone and waits for its first picture. The page is
 * closed after the test.
 */
async function openOnPhone(version: Version, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: sizes[0].viewport, colorScheme: 'light', locale: 'en' });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.goto(`${address}#${version}`);
  await page.getByRole('heading', { level: 1, name: introductions[version].title }).waitFor();
  const first = page.getByRole('img', { name: /^Life cycle of a/ }).first();
  await first.waitFor();
  return page;
}

const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

/**
 * Script that returns the texts of diagrams below 10 pixels or partly outside the window, each with its size in pixels.
 */
const unreadablePictures = `[...document.querySelectorAll('svg.life-cycle text')].flatMap((text) => {
  const box = text.getBoundingClientRect();
  const isInside = box.left >= 0 && box.right <= document.documentElement.clientWidth;
  const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  return isInside && size >= 10 ? [] : [text.textContent + ' ' + size];
})`;

/** Takes screenshots of an introduction and of its parts, if SVC_CONSOLE_PICTURES names a folder. */
async function takePictures(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `introduction-${name}.png`) });
  const shown = [
    ...(await page.locator('svg.life-cycle').all()),
    ...(await page.getByRole('heading', { level: 2, name: /^(?:First request|Errors|Limits)$/ }).all()),
  ];
  for (const [index, part] of shown.entries()) {
    await part.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, `introduction-${name}-${index}.png`) });
  }
}

describe('the reference', () => {
  it.each(versions)(
    'begins with an introduction and pictures of the life cycles of %s, on a phone and a desktop',
    async (version) => {
      const page = await openOnPhone(version, `${mock.address}/docs`);
      for (const size of sizes) {
        await page.setViewportSize(size.viewport);
        for (const title of ['Authentication', 'First request', 'Errors', 'Limits'])
          await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
        expect(await page.locator('svg.life-cycle').count()).toBe(introductions[version].pictures);
        for (const colorScheme of colorSchemes) {
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate(unreadablePictures)).toEqual([]);
          expect(await page.evaluate(isTooWide)).toBe(false);
          await takePictures(page, `${version}-${size.name}-${colorScheme}`);
        }
      }
    },
  );

  it.each(versions)('has the pictures of %s as a file too', async (version) => {
    const file = join(folder, `reference-${version}.html`);
    await writeDocs(file);
    const page = await openOnPhone(version, pathToFileURL(file).href);
    expect(await page.locator('svg.life-cycle').count()).toBe(introductions[version].pictures);
  });
});
