import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLoginLinks } from '#api/console/login/login-links.ts';
import { linkAddress } from '#api/console/login/login-secrets.ts';
import type { Integration } from '#agent/integrations/integration.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createApiClient } from '../support/api-client.ts';
import { desktop, goToPart, launchChromium, logInAt } from '../support/console-page.ts';
import { type StartedBackend, startBackend, testKey } from '../support/start-backend.ts';
import { canPlay, isLoaded } from './page-audit.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** An integration with a secret; the tests never start its command. */
const integration: Integration = {
  name: 'odd',
  description: 'An integration with a secret',
  projects: 'all',
  tools: null,
  secretNames: ['TOKEN'],
  ownSecrets: [],
  transport: { kind: 'stdio', command: process.execPath, args: [], env: new Map(), folder: null },
};
const goal = 'Open https://example.com and tell me the title';
const unreachable = 'The service cannot be reached';

let started: StartedBackend;
let browser: Browser;

beforeAll(async () => {
  started = await startBackend({ integrations: [integration] });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await started.stop();
});

/** Opens an empty page. Chromium logs each failed request in its console, so nothing watches that console. */
async function open(): Promise<Page> {
  const context = await browser.newContext({ viewport: desktop, locale: 'en' });
  context.setDefaultTimeout(20_000);
  onTestFinished(() => context.close());
  return context.newPage();
}

async function enter(): Promise<Page> {
  const page = await open();
  await logInAt(page, started.address);
  return page;
}

/** Opens a link that logs in as an operator. */
async function openLink(): Promise<Page> {
  const { db } = started.backend;
  const { id } = await db.selectFrom('projects').select('id').orderBy('createdAt').executeTakeFirstOrThrow();
  const link = await createLoginLinks({ db, clock: started.clock, rules: defaultRules }).make(id);
  const page = await open();
  await page.goto(linkAddress(started.address, link));
  return page;
}

async function enterByLink(): Promise<Page> {
  const page = await openLink();
  await page.getByRole('button', { name: 'Log in by the link' }).click();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  return page;
}

describe('without a connection to the service', () => {
  it('a page that is opened keeps its login, says why it shows nothing, and tries again', async () => {
    const page = await enter();
    await page.route('**/console/api/login', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText(unreachable).waitFor();
    expect(await page.getByLabel('API key').count()).toBe(0);
    await page.unroute('**/console/api/login');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  });

  it('a page that is opened offers another login', async () => {
    const page = await enter();
    await page.route('**/console/api/login', (route) => route.fulfill({ status: 503, json: { detail: 'Draining' } }));
    await page.reload();
    await page.getByText('Draining').waitFor();
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('a login link stays usable', async () => {
    const page = await openLink();
    await page.route('**/console/api/login', (route) => route.abort());
    const use = page.getByRole('button', { name: 'Log in by the link' });
    await use.click();
    await page.getByText(unreachable).waitFor();
    await page.unroute('**/console/api/login');
    await use.click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  });

  it('a switch to another project says that it failed', async () => {
    const other = { id: 'other', name: 'Other', createdAt: Date.UTC(2100, 0) };
    await started.backend.db.insertInto('projects').values(other).execute();
    const page = await enterByLink();
    await page.route('**/login/project', (route) => route.abort());
    const choice = page.getByLabel('Project', { exact: true });
    const before = await choice.inputValue();
    await choice.selectOption('Other');
    await page.getByText(unreachable).waitFor();
    expect(await choice.inputValue()).toBe(before);
  });

  it('a secret stays in its field until it is stored', async () => {
    const page = await enter();
    await goToPart(page, 'Integrations');
    await page.route('**/secrets/*', (route) => route.abort());
    await page.getByLabel('TOKEN').fill('tok-1a2b3c4d');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByText(unreachable).waitFor();
    expect(await page.getByLabel('TOKEN').inputValue()).toBe('tok-1a2b3c4d');
    await page.unroute('**/secrets/*');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByText('Stored', { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('TOKEN').inputValue()).toBe('');
  });

  it('a picture whose URL has expired is not called deleted, and is loaded later', async () => {
    const v3 = createApiClient(started.address, testKey, 'v3');
    const id = String((await v3.call('POST', '/sessions', { task: goal })).body['id']);
    await v3.until(id, ({ status }) => status === 'stopped');
    const page = await enter();
    let readings = 0;
    await page.route(/\/screenshots\//, (route) => route.fulfill({ status: 404 }));
    await page.route('**/messages?*', (route) => {
      readings += 1;
      return readings === 1 ? route.continue() : route.abort();
    });
    await page.goto(`${started.address}/#/v3/${id}`);
    await page.getByText('The picture could not be loaded').first().waitFor();
    await page.unrouteAll();
    const again = page.getByRole('button', { name: 'Load the picture' });
    while ((await again.count()) > 0) await again.first().click();
    await expect.poll(() => page.evaluate(isLoaded('.events img'))).toBe(true);
  });

  it('the recordings of a session stay, beside the reason why they are not read again', async () => {
    const [v3, v4] = [
      createApiClient(started.address, testKey, 'v3'),
      createApiClient(started.address, testKey, 'v4'),
    ] as const;
    const id = String((await v3.call('POST', '/sessions', { task: goal, enableRecording: true })).body['id']);
    const recordingUrls = async () => (await v3.call('GET', `/sessions/${id}`)).body['recordingUrls'];
    await expect.poll(recordingUrls).toEqual([expect.any(String)]);
    const { sessionId } = (await v4.call('POST', '/runs', { task: goal })).body;
    const page = await enter();
    // Any recording serves: which recordings a session has is tested elsewhere.
    const list = await recordingUrls();
    await page.route('**/recordings', (route) => route.fulfill({ json: list }));
    await page.addInitScript(`{
      const set = window.setTimeout;
      window.setTimeout = (work, ms, ...given) => set(work, ms === 15_000 ? 500 : ms, ...given);
    }`);
    await page.goto('about:blank');
    await page.goto(`${started.address}/#/tasks/${String(sessionId)}`);
    await expect.poll(() => page.evaluate(canPlay), { timeout: 30_000 }).toBe(true);
    await page.unroute('**/recordings');
    await page.route('**/recordings', (route) => route.abort());
    await page.getByText(unreachable).waitFor();
    expect(await page.evaluate(canPlay)).toBe(true);
  });
});

describe('the first message of a list', () => {
  it('gets its picture again after further messages were added', async () => {
    const v3 = createApiClient(started.address, testKey, 'v3');
    const id = String((await v3.call('POST', '/sessions', { task: goal })).body['id']);
    await v3.until(id, ({ status }) => status === 'stopped');
    const all = (await v3.call('GET', `/sessions/${id}/messages?limit=100`)).body['messages'] as {
      screenshotUrl?: string | null;
    }[];
    const at = all.findIndex(({ screenshotUrl }) => typeof screenshotUrl === 'string');
    const page = await enter();
    let readings = 0;
    // The list begins at the picture; when it is read again, the newest messages no longer contain the picture.
    await page.route('**/messages?limit=100', (route) => {
      readings += 1;
      const limit = readings === 1 ? all.length - at : 1;
      return route.continue({ url: route.request().url().replace('limit=100', `limit=${limit}`) });
    });
    let refused = 0;
    await page.route(/\/screenshots\//, (route) => {
      refused += 1;
      return refused === 1 ? route.fulfill({ status: 404 }) : route.continue();
    });
    await page.goto(`${started.address}/#/v3/${id}`);
    await expect.poll(() => page.evaluate(isLoaded('.events img'))).toBe(true);
    expect(refused).toBeGreaterThan(1);
  });
});

describe('a reading that ends late', () => {
  it('does not replace the value of a later reading by its error', async () => {
    const page = await enter();
    await page.addInitScript(`{
      const send = window.fetch;
      let isHeld = false;
      window.fetch = (...given) => {
        if (!String(given[0]).endsWith('/console/api/keys') || given[1].method !== 'GET' || isHeld) return send(...given);
        isHeld = true;
        return new Promise((_resolve, reject) => addEventListener('fail', () => reject(new TypeError('cut off'))));
      };
    }`);
    await page.goto('about:blank');
    await page.goto(`${started.address}/#/keys`);
    await page.getByLabel('Name of the new key').fill('late');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('row', { name: 'late' }).waitFor();
    await page.evaluate(`dispatchEvent(new Event('fail'))`);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await page.getByText(unreachable).count()).toBe(0);
  });
});

describe('a form', () => {
  it('of schedules shows the field of its kind again after a single task was scheduled', async () => {
    const page = await enterByLink();
    await goToPart(page, 'Schedules');
    await page.getByLabel('Task', { exact: true }).fill('Say it once');
    await page.getByLabel('Runs').selectOption('Once');
    await page.getByLabel('Time', { exact: false }).fill('2999-01-01T09:00');
    await page.getByRole('button', { name: 'Schedule the task' }).click();
    await page.getByRole('table', { name: 'Scheduled tasks' }).getByText('Say it once').waitFor();
    expect(await page.getByLabel('Runs').inputValue()).toBe('cron');
    await page.getByLabel('Cron').waitFor();
  });

  it('of the credit does not read a point without digits as no limit', async () => {
    const page = await enterByLink();
    await goToPart(page, 'Settings');
    const refused = page.locator('input[name=credit]:invalid');
    for (const [text, count] of [
      ['.', 1],
      ['12.5', 0],
      ['.5', 0],
      ['', 0],
    ] as const) {
      await page.getByLabel('Credit in US dollars').fill(text);
      expect([text, await refused.count()]).toEqual([text, count]);
    }
  });

  it('of provider keys also changes what the page says about the planner', async () => {
    const page = await enter();
    const notice = page.getByText('No model provider is configured');
    await notice.waitFor();
    await goToPart(page, 'Keys');
    await page.getByLabel('Provider key').fill('sk-1a2b3c4d5e6f');
    await page.getByRole('button', { name: 'Store the key' }).click();
    const remove = page.getByRole('button', { name: /^Remove the key of / });
    await remove.waitFor();
    await goToPart(page, 'Tasks');
    await expect.poll(() => notice.count()).toBe(0);
    await goToPart(page, 'Keys');
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No key is stored').waitFor();
    await goToPart(page, 'Tasks');
    await notice.waitFor();
  });
});

describe('the part Conformance of a service without the suite', () => {
  it('asks the service for no run', async () => {
    const page = await enter();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await goToPart(page, 'Conformance');
    await page.getByText('This service was started without the suite').waitFor();
    await goToPart(page, 'Keys');
    await page.getByText('No key is stored').waitFor();
    expect(asked.filter((path) => path.endsWith('/examination'))).toEqual([]);
  });
});
