import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '#generated/operations.ts';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { createMock } from '#mock/create-mock.ts';
import type { MockServer } from '#mock/mock-server.ts';
import { serveDocs, writeDocs } from '../src/cli/spec/write-docs.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

const documents = { v2, v3, v4 };
const versions = ['v4', 'v3', 'v2'] as const;
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const apiKey = 'svc_reference';

const folder = mkdtempSync(join(tmpdir(), 'svc-reference-'));
let mock: MockServer;
let backend: StartedBackend;
let browser: Browser;
let address = '';

beforeAll(async () => {
  mock = await createMock({ apiKey, log: pino({ level: 'silent' }) });
  address = await mock.listen(0, '127.0.0.1');
  backend = await startBackend({});
  const { path, environment } = await findChromium();
  browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox'],
    env: { ...process.env, ...environment },
  });
});
afterAll(async () => {
  await browser.close();
  await mock.close();
  await backend.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A page, its requests, and its errors. */
interface Watched {
  readonly page: Page;
  /** URLs of the requests that the page has sent, except `data:` and `blob:` URLs. */
  readonly asked: readonly string[];
  readonly complaints: readonly string[];
}

async function watch(size: keyof typeof sizes): Promise<Watched> {
  const context = await browser.newContext({ viewport: sizes[size] });
  const asked: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) asked.push(request.url());
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  return { page: await context.newPage(), asked, complaints };
}

/**
 * Script that returns each table cell that contains a single word, with the number of lines on which the word is shown.
 */
const wordsAndLines = `[...document.querySelectorAll('.markdown td')].filter((cell) => /^\\w+$/.test(cell.textContent)).map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell.querySelector('code')?.firstChild ?? cell.firstChild);
  return cell.textContent + ' on ' + range.getClientRects().length;
})`;

/** Opens the three documents in turn; returns the operations that the page lists for each. */
async function listedOperations(page: Page): Promise<Record<string, string[]>> {
  const listed: Record<string, string[]> = {};
  for (const version of versions) {
    await choose(page, version);
    const links = page.locator(`a[href^="#${version}/tag/"]`);
    const targets = await links.evaluateAll((anchors) => anchors.map((anchor) => String(anchor.getAttribute('href'))));
    listed[version] = targets.flatMap((target) => /\/([A-Z]+\/.*)$/.exec(target)?.[1] ?? []).toSorted();
    // The page renders the last operation only when a reader navigates to it.
    const last = operations.findLast((operation) => operation.version === version);
    await page.locator(`a[href$="/${last?.method.toUpperCase()}${last?.path}"]`).first().click();
    await page.getByRole('heading', { level: 3, name: findSummary(version, last?.id) }).waitFor({ timeout: 60_000 });
  }
  return listed;
}

function findSummary(version: keyof typeof documents, id: string | undefined): string {
  const paths: object[] = Object.values(documents[version].paths);
  const found = paths.flatMap((item) => Object.values(item)).find((operation) => operation.operationId === id);
  return String(found?.summary);
}

async function choose(page: Page, version: keyof typeof documents): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: 60_000 });
  const shown = page.getByRole('button', { name: /^V[234]$/ }).first();
  if ((await shown.textContent())?.trim() === version.toUpperCase()) return;
  await shown.click();
  await page.getByRole('option', { name: version.toUpperCase() }).click();
  await page.getByRole('heading', { level: 1, name: documents[version].info.title }).waitFor({ timeout: 60_000 });
}

const all = Object.fromEntries(
  versions.map((version) => [
    version,
    operations
      .filter((operation) => operation.version === version)
      .map(({ method, path }) => `${method.toUpperCase()}${path}`)
      .toSorted(),
  ]),
);

describe('the reference of a server', () => {
  test('shows the operations of all three documents and asks no other host for anything', async () => {
    const { page, asked, complaints } = await watch('desktop');
    await page.goto(`${address}/docs`);
    expect(await listedOperations(page)).toEqual(all);
    expect(asked.filter((url) => new URL(url).origin !== address)).toEqual([]);
    expect(asked.map((url) => new URL(url).pathname)).toEqual(
      expect.arrayContaining(versions.map((version) => `/openapi/${version}.json`)),
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('tries a request on this very server, with the key that is typed', async () => {
    const { page, asked, complaints } = await watch('desktop');
    await page.goto(`${address}/docs`);
    await page.getByLabel('Value', { exact: true }).first().fill(apiKey);
    // The page renders operations below the introduction when a reader navigates to them.
    await page.locator('a[href$="/GET/runs"]').first().click();
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    await page.getByRole('button', { name: /Send/ }).first().click();
    await page.getByText('200 OK').first().waitFor({ timeout: 60_000 });
    expect(asked.filter((url) => url.includes('/api/'))).toEqual([expect.stringContaining(`${address}/api/v4/runs`)]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('keeps each word of its tables on one line on a phone', async () => {
    const { page } = await watch('phone');
    await page.goto(`${address}/docs`);
    await page.locator('.markdown td', { hasText: /^\w+$/ }).first().waitFor({ timeout: 60_000 });
    const lines: string[] = await page.evaluate(wordsAndLines);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !line.endsWith(' on 1'))).toEqual([]);
    await page.context().close();
  });

  test('is reached without a key on the mock and on the backend, under a strict policy', async () => {
    for (const server of [address, backend.address.replace(/\/api.*$/, '')]) {
      const page = await fetch(`${server}/docs`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy.includes('http') || policy.includes('eval')).toBe(false);
      for (const version of versions) {
        const document = await fetch(`${server}/openapi/${version}.json`);
        expect([document.status, await document.json()]).toEqual([
          200,
          { ...documents[version], servers: [{ url: `${server}/api/${version}` }] },
        ]);
      }
      const script = await fetch(`${server}/docs/scalar.js`, { headers: { 'accept-encoding': 'identity' } });
      expect(await script.text()).toContain('createApiReference');
    }
  });
});

describe('the reference as a file', () => {
  test('shows the operations of all three documents and asks for nothing at all', async () => {
    const file = join(folder, 'deep', 'reference.html');
    await writeDocs(file);
    const { page, asked, complaints } = await watch('desktop');
    await page.goto(pathToFileURL(file).href);
    expect(await listedOperations(page)).toEqual(all);
    expect(asked).toEqual([pathToFileURL(file).href]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is what "svc spec docs" serves, until it is closed', async () => {
    const server = await serveDocs(0, '127.0.0.1');
    const answer = await fetch(server.address);
    expect(await answer.text()).toContain("connect-src 'none'");
    await server.close();
    await expect(fetch(server.address)).rejects.toThrow('fetch failed');
  });
});
