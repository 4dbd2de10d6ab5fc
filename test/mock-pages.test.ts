import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { isJsonObject } from '#lib/json.ts';
import type { StartedMock } from '../src/cli/mock/mock-flags.ts';
import { startStateful } from '../src/cli/mock/open-stateful.ts';
import { startStateless } from '../src/cli/mock/start-stateless.ts';
import { focused, sticksOut, unnamed, unreadable } from './console/page-audit.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * Folder in which the tests save screenshots of the request log, for people to look at. Undefined without
 * SVC_CONSOLE_PICTURES; then the tests save no screenshots.
 */
const pictures = process.env['SVC_CONSOLE_PICTURES'];
const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 860 };
const usual = {
  port: 0,
  host: '127.0.0.1',
  apiKey: 'svc_mock_secret',
  seed: 1,
  latencyMs: null,
  faultRate: 0,
  logLevel: 'silent',
} as const;

let mock: StartedMock;
let stateless: StartedMock;
let browser: Browser;

beforeAll(async () => {
  mock = await startStateful({ ...usual, speed: 100, sessionsMax: 25, control: null });
  stateless = await startStateless({ ...usual, dynamic: false });
  const { path, environment } = await findChromium();
  const env = { ...process.env, ...environment };
  browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'], env });
});
afterAll(async () => {
  await browser.close();
  await stateless.close();
  await mock.close();
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: desktop, locale: 'en', ...options });
  context.setDefaultTimeout(60_000);
  onTestFinished(() => context.close());
  return context.newPage();
}

/** Sends valid and invalid requests to a mock, and one without a key. */
async function call(address: string): Promise<void> {
  const headers = { 'x-service-api-key': usual.apiKey, 'content-type': 'application/json' };
  const send = async (path: string, body?: object, others: object = headers): Promise<Response> =>
    fetch(`${address}${path}`, {
      headers: { ...others },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  await send('/api/v3/sessions', { task: 'x', model: 'glm-5.2', thinkingLevel: 'low' });
  await send('/api/v4/runs', { task: 'Find a lamp', secrets: { pin: 'nobody-sees-this' }, x: usual.apiKey });
  await send('/api/v4/runs', { task: 'Find a chair' });
  await send('/api/v4/runs', undefined, {});
  await send('/api/v4/runs/3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90');
}

test('a page of another origin fetches what it likes from both mocks, and reads whole answers', async () => {
  const site = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<title>x</title>'),
  );
  await new Promise<void>((resolve) => {
    site.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void site.close());
  const place = site.address();
  const page = await open();
  // The same machine has another origin under another name.
  await page.goto(`http://localhost:${typeof place === 'object' && place !== null ? place.port : 0}/`);
  for (const { address } of [mock, stateless]) {
    const seen: unknown = await page.evaluate(`(async () => {
      const answer = await fetch('${address}/api/v4/runs', {
        method: 'POST',
        headers: { 'X-Service-API-Key': '${usual.apiKey}', 'Content-Type': 'application/json' },
        body: JSON.stringify({ task: 'svc-test: succeed' }),
      });
      const log = await fetch('${address}/log/calls').then(({ status }) => status, () => 'kept away');
      return { status: answer.status, id: (await answer.json()).id, request: answer.headers.get('x-request-id'), log };
    })()`);
    expect(seen).toEqual({
      status: 200,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request: expect.any(String),
      log: 'kept away',
    });
  }
});

test('the request log shows each call as it comes, what it kept and what it broke, and no key', async () => {
  const page = await open();
  await page.goto(`${mock.address}/log`);
  await page.getByRole('status').getByText('Live').waitFor();
  await call(mock.address);
  const broken = page.getByRole('listitem').filter({ hasText: 'POST /api/v3/sessions' }).first();
  await broken.getByText('broken').first().waitFor();
  await broken.locator('summary').click();
  await broken.getByText('Each V3 model refuses every `thinkingLevel` not marked for it with 422.').waitFor();
  await broken.getByText('contract 4 Endpoints, Thinking levels').first().waitFor();
  await broken.getByText(/^“Support by model .* Rule: an unsupported V2\/V3 model and level pair returns/).waitFor();
  await page.getByRole('button', { name: 'refused 1' }).click();
  await page.getByText('Run not found').first().waitFor();
  await page.getByRole('button', { name: /^All/ }).click();
  await page.getByRole('searchbox').fill('createRun');
  const kept = page.getByRole('listitem').filter({ hasText: 'v4 createRun' }).filter({ hasText: 'kept' }).first();
  await kept.locator('summary').focus();
  await page.keyboard.press('Enter');
  await kept.getByText('`POST {base_url_v4}/runs` creates an agent run.').waitFor();
  const text = await page.content();
  expect([text.includes(usual.apiKey), text.includes('nobody-sees-this')]).toEqual([false, false]);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(focused)).toContain('task');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('Nothing was asked yet').waitFor();
});

test('the request log shows no calls of a mock that was started again, and offers nothing while there is no mock', async () => {
  const first = await startStateless({ ...usual, dynamic: false });
  const port = Number(new URL(first.address).port);
  const page = await open();
  await page.goto(`${first.address}/log`);
  await call(first.address);
  const calls = page.getByRole('list', { name: 'Calls, the newest first' }).locator('> li');
  await expect.poll(() => calls.count()).toBe(5);
  await first.close();
  await page.getByText('The mock does not answer').waitFor();
  expect(await page.getByRole('button', { name: 'Clear' }).isDisabled()).toBe(true);
  const second = await startStateless({ ...usual, port, dynamic: false });
  onTestFinished(() => second.close());
  await fetch(`${second.address}/api/v4/models`);
  await page.getByText('/api/v4/models').waitFor();
  expect(await calls.count()).toBe(1);
});

test.each([
  { name: 'a phone', viewport: phone, colorScheme: 'light' },
  { name: 'a phone in the dark', viewport: phone, colorScheme: 'dark' },
  { name: 'a desktop', viewport: desktop, colorScheme: 'light' },
  { name: 'a desktop in the dark', viewport: desktop, colorScheme: 'dark' },
] as const)('the request log fits $name', async ({ name, ...options }) => {
  await call(stateless.address);
  const page = await open(options);
  await page.goto(`${stateless.address}/log`);
  const first = page.getByRole('listitem').filter({ hasText: 'POST /api/v3/sessions' }).first();
  await first.locator('summary').click();
  await first.getByRole('heading', { name: 'Contract' }).waitFor();
  for (const audit of [sticksOut, unnamed, unreadable]) expect(await page.evaluate(audit)).toEqual([]);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `request-log-${name.replaceAll(' ', '-')}.png`), fullPage: true });
});

const widths = [
  { name: 'a desktop', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'a phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'a phone in the dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

test.each(widths)('the landing page of both mocks leads to its pages and fits $name', async ({ name, ...options }) => {
  for (const [kind, { address }] of Object.entries({ stateless, stateful: mock })) {
    const page = await open(options);
    await page.goto(address);
    for (const audit of [sticksOut, unnamed, unreadable]) expect(await page.evaluate(audit)).toEqual([]);
    expect(await page.content()).not.toContain(usual.apiKey);
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      const path = join(pictures, `mock-landing-${kind}-${name.replaceAll(' ', '-')}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    await page.getByRole('link', { name: /Request log/ }).click();
    await page.getByRole('status').getByText('Live').waitFor();
    await page.goto(address);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname === '/docs'),
      page.getByRole('link', { name: /API reference/ }).click(),
    ]);
    expect(answer.status()).toBe(200);
  }
});

test('the landing page of the stateful mock leads to the console', async () => {
  const page = await open();
  await page.goto(mock.address);
  await page.getByRole('link', { name: /Console/ }).click();
  await page.getByRole('button', { name: /log in/i }).waitFor();
});

test('the request log is for its own machine', async () => {
  const answer = await fetch(`${stateless.address}/log/calls`);
  const body: unknown = await answer.json();
  expect([answer.status, isJsonObject(body) && Array.isArray(body['calls'])]).toEqual([200, true]);
  const other = await fetch(`${stateless.address}/log/calls`, { headers: { origin: 'https://elsewhere.example' } });
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});
