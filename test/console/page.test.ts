import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLoginLinks } from '#api/console/login/login-links.ts';
import { linkAddress } from '#api/console/login/login-secrets.ts';
import type { Integration } from '#agent/integrations/integration.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createExaminer } from '../../src/cli/serve/create-examiner.ts';
import {
  attack,
  canPlay,
  delayFirstEvents,
  focused,
  isFocusInDialog,
  isLoaded,
  sticksOut,
  unnamed,
  unreadable,
} from './page-audit.ts';
import { type Answer, createApiClient } from '../support/api-client.ts';
import { logInWithKey } from '../support/console-client.ts';
import { desktop, goToPart, launchChromium, logInAt, openPage } from '../support/console-page.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from '../support/start-backend.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * Folder in which the tests save screenshots of the whole console for people to look at. Undefined without
 * SVC_CONSOLE_PICTURES.
 */
const pictures = process.env['SVC_CONSOLE_PICTURES'];
const phone = { width: 360, height: 740 };
/** A task with a step that has a picture. */
const goal = 'Open https://example.com and tell me the title';
const parts = [
  'Tasks',
  'V3 sessions',
  'V2 sessions',
  'Schedules',
  'Browsers',
  'Workspaces',
  'Profiles',
  'Costs',
  'Integrations',
  'Keys',
  'Settings',
  'Conformance',
];

/** An integration whose MCP server describes its tool with HTML markup. */
const hostileIntegration: Integration = {
  name: 'odd',
  description: 'Tools of a server that misbehaves',
  projects: 'all',
  tools: null,
  secretNames: ['TOKEN'],
  ownSecrets: [],
  transport: {
    kind: 'stdio',
    command: process.execPath,
    args: [join(import.meta.dirname, '../../src/agent/integrations/testing/hostile-server.ts')],
    env: new Map([['TOKEN', [{ secret: 'TOKEN' }]]]),
    folder: null,
  },
};

const examiner = createExaminer();
let started: StartedBackend;
let browser: Browser;

beforeAll(async () => {
  started = await startBackend({ examiner, integrations: [hostileIntegration] });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await started.stop();
  await examiner.close();
});

function open(options?: BrowserContextOptions): Promise<Page> {
  return openPage({ browser, address: started.address }, options);
}

async function enter(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open(options);
  await logInAt(page, started.address);
  return page;
}

/** Logs in on a page whose console may contain errors, because Chromium logs each failed request there. */
async function enterUnwatched(): Promise<Page> {
  const context = await browser.newContext({ viewport: desktop, locale: 'en' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await logInAt(page, started.address);
  return page;
}

function makeLink(): Promise<string> {
  const { db } = started.backend;
  const links = createLoginLinks({ db, clock: started.clock, rules: defaultRules });
  return db
    .selectFrom('projects')
    .select('id')
    .orderBy('createdAt')
    .executeTakeFirstOrThrow()
    .then(({ id }) => links.make(id));
}

describe('the console in a browser', () => {
  it('says in words why a key is not accepted, and takes one that is', async () => {
    const page = await open();
    await page.goto(started.address);
    await page.getByLabel('API key').fill('svc_wrong');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('not accepted');
    await page.getByLabel('API key').fill(testKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('shows why a logout has failed, and stays logged in', async () => {
    const page = await enterUnwatched();
    await page.route('**/console/api/login', (route) => route.abort());
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('The service cannot be reached').waitFor({ timeout: 10_000 });
    await page.unroute('**/console/api/login');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('shows why an upload has failed, also without a readable answer', async () => {
    const page = await enterUnwatched();
    await goToPart(page, 'Workspaces');
    await page.getByLabel('Name').fill('uploads that fail');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'note.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('hello'),
    });
    const failures = [
      { respond: { status: 502, body: '{"cut' }, want: 'The answer is no JSON (status 502)' },
      { respond: null, want: 'The service cannot be reached' },
    ];
    for (const { respond, want } of failures) {
      await page.route('**/*', (route) => {
        if (route.request().method() !== 'PUT') return route.fallback();
        return respond === null ? route.abort() : route.fulfill(respond);
      });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(want).waitFor({ timeout: 10_000 });
      await page.unroute('**/*');
    }
  });

  it('opens in a browser under a POSIX locale, whose language is no language tag', async () => {
    const page = await open();
    await page.addInitScript(
      "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
    );
    await logInAt(page, started.address);
  });

  it('runs a task, shows its steps and result, and takes a follow-up', async () => {
    const page = await enter();
    await page.getByLabel('Describe the task').fill('Say hello from the console');
    await page.getByRole('button', { name: 'Start the task' }).click();
    const detail = page.getByRole('article');
    await detail.getByText('completed').first().waitFor();
    await expect.poll(() => detail.locator('pre').first().textContent()).toContain('hello from the console');
    await expect
      .poll(() => detail.getByRole('list', { name: 'Steps and events' }).textContent())
      .toContain('The task has ended');
    await page.getByLabel('Next task in this session').fill('Say and again');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => detail.locator('pre').last().textContent()).toContain('and again');
    await expect.poll(() => detail.getByRole('region').count()).toBe(2);
  });

  it('shows every event of a run whose end is seen while its events are being read', async () => {
    const page = await enter();
    await page.evaluate(delayFirstEvents);
    await page.getByLabel('Describe the task').fill('svc-test: slow 3');
    await page.getByRole('button', { name: 'Start the task' }).click();
    const events = page.getByRole('article').getByRole('list', { name: 'Steps and events' });
    await expect.poll(() => events.textContent()).toContain('The task has ended');
  });

  it('shows the live view of a browser, its address for clients, and stops it', async () => {
    const page = await enter();
    await goToPart(page, 'Browsers');
    await page.getByRole('button', { name: 'Start the browser' }).click();
    const live = page.frameLocator('iframe[title="Live browser"]');
    await live.locator('#picture').waitFor({ state: 'attached' });
    const v4 = createApiClient(started.address, testKey, 'v4');
    const [running] = (await v4.call('GET', '/browsers')).body['items'] as { id: string; cdpUrl: string }[];
    await page.getByText(String(running?.cdpUrl)).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await expect.poll(async () => (await v4.call('GET', `/browsers/${running?.id}`)).body['status']).toBe('stopped');
    await page.getByRole('article').getByText('stopped').waitFor();
  });

  it('shows what a V3 session was asked and did, with pictures and its recording, and gives it a further task', async () => {
    const v3 = createApiClient(started.address, testKey, 'v3');
    const wanted = { task: goal, keepAlive: true, enableRecording: true };
    const id = String((await v3.call('POST', '/sessions', wanted)).body['id']);
    const page = await enter();
    await page.goto(`${started.address}/#/v3/${id}`);
    const detail = page.getByRole('article');
    await detail.getByText('idle').first().waitFor();
    const messages = detail.getByRole('list', { name: 'Messages and steps' });
    await expect.poll(() => messages.textContent()).toContain('The task has ended');
    expect(await messages.textContent()).toContain(`Asked: ${wanted.task}`);
    await expect.poll(() => page.evaluate(isLoaded('.events img'))).toBe(true);
    await expect.poll(() => page.evaluate(canPlay)).toBe(true);
    await page
      .frameLocator('iframe[title="Live browser of the session"]')
      .locator('#picture')
      .waitFor({ state: 'attached' });
    await page.getByLabel('Next task in this session').fill('Say more of it');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => messages.textContent()).toContain('Asked: Say more of it');
    await detail.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await detail.getByText('stopped').first().waitFor();
    await expect.poll(async () => (await v3.call('GET', `/sessions/${id}`)).body['status']).toBe('stopped');
    expect(await page.getByLabel('Next task in this session').count()).toBe(0);
  });

  it('shows the tasks of a V2 session with the pictures of their steps, stops one, and gives it a further one', async () => {
    const v2 = createApiClient(started.address, testKey, 'v2');
    const sessionId = String((await v2.call('POST', '/sessions', {})).body['id']);
    await v2.call('POST', '/tasks', { task: goal, sessionId });
    const page = await enter();
    await goToPart(page, 'V2 sessions');
    await page.getByRole('list', { name: 'V2 sessions' }).getByRole('link').first().click();
    const detail = page.getByRole('article');
    await detail.getByText('finished').first().waitFor();
    await expect.poll(() => detail.locator('pre').first().textContent()).not.toBe('');
    await detail.getByRole('list', { name: 'Steps' }).waitFor();
    await expect.poll(() => page.evaluate(isLoaded('.events img'))).toBe(true);
    await page.getByLabel('Next task in this session').fill('svc-test: slow 600');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop the task' }).click();
    await detail.getByRole('region', { name: 'Task: svc-test: slow 600' }).getByText('stopped').waitFor();
    await expect
      .poll(
        async () =>
          ((await v2.call('GET', `/tasks?sessionId=${sessionId}`)).body['items'] as { status: string }[])[0]?.status,
      )
      .toBe('stopped');
  });

  it('shows the pictures of a V4 task, each as large as one likes, for the keyboard too', async () => {
    const page = await enter();
    await page.getByLabel('Describe the task').fill(goal);
    await page.getByRole('button', { name: 'Start the task' }).click();
    const detail = page.getByRole('article');
    await detail.getByText('completed').first().waitFor();
    const small = detail.getByRole('button', { name: /^Enlarge: Picture of: / }).first();
    await expect.poll(() => page.evaluate(isLoaded('.events img'))).toBe(true);
    await small.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Picture of: / });
    await dialog.waitFor();
    await expect.poll(() => page.evaluate(isLoaded('dialog img'))).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate(focused)).toMatch(/^Enlarge: Picture of: /);
  });

  it('reads what is read once when the page is seen, which it need not be when that is wanted', async () => {
    const v2 = createApiClient(started.address, testKey, 'v2');
    const { body } = await v2.call('POST', '/tasks', { task: goal });
    const task = `/tasks/${String(body['id'])}`;
    await expect.poll(async () => (await v2.call('GET', task)).body['status']).toBe('finished');
    const page = await enter();
    await page.addInitScript(`{
      let isHidden = false;
      const set = (value) => {
        isHidden = value;
        document.dispatchEvent(new Event('visibilitychange'));
      };
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      addEventListener('hide', () => set(true));
      addEventListener('seen', () => set(false));
    }`);
    // Leaves the console, so that the next navigation loads a new document, which runs that script first.
    await page.goto('about:blank');
    // The page becomes hidden after the session is read and before its steps are read.
    await page.route(`**/api/v2/sessions/${String(body['sessionId'])}`, async (route) => {
      const answer = await route.fetch();
      await page.evaluate(`dispatchEvent(new Event('hide'))`);
      await route.fulfill({ response: answer });
    });
    await page.goto(`${started.address}/#/v2/${String(body['sessionId'])}`);
    await page.getByRole('article').getByText('Loading…').first().waitFor();
    await page.unrouteAll();
    await page.evaluate(`dispatchEvent(new Event('seen'))`);
    await page.getByRole('article').locator('.shot').first().waitFor();
  });

  it('asks for a new address of a picture whose own has expired', async () => {
    const v3 = createApiClient(started.address, testKey, 'v3');
    const id = String((await v3.call('POST', '/sessions', { task: goal })).body['id']);
    await v3.until(id, ({ status }) => status === 'stopped');
    const page = await enter();
    let refused = 0;
    await page.route(/\/screenshots\//, async (route) => {
      refused += 1;
      // Simulates that the first URL has expired.
      if (refused === 1) await route.fulfill({ status: 404 });
      else await route.continue();
    });
    await page.goto(`${started.address}/#/v3/${id}`);
    await expect.poll(() => page.evaluate(isLoaded('.events img'))).toBe(true);
    expect(refused).toBeGreaterThan(1);
  });

  it('plays the recording of a browser that was stopped', async () => {
    const id = await recordedBrowser();
    const page = await enter();
    await page.goto(`${started.address}/#/browsers/${id}`);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => page.evaluate(canPlay)).toBe(true);
  });

  it('makes a key that works, shows it once, and revokes it', async () => {
    const page = await enter();
    await goToPart(page, 'Keys');
    await page.getByLabel('Name of the new key').fill('tested');
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('group', { name: 'The new key' });
    const key = String(await shown.locator('code').textContent());
    expect((await createApiClient(started.address, key, 'v4').call('GET', '/runs')).status).toBe(200);
    await shown.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('row', { name: 'tested' }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke tested' }).click();
    const dialog = page.getByRole('dialog', { name: /^Revoke the key “tested”/ });
    await dialog.waitFor();
    await picture(page, 'desktop-light-revoke');
    // Long texts wrap: nothing of the dialog is cut off.
    expect(
      await page.evaluate(
        '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("dialog"))',
      ),
    ).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.querySelector("dialog p")).whiteSpace')).toBe('normal');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked and expired').click();
    await page.getByRole('row', { name: 'tested' }).getByText('revoked').waitFor();
    expect((await createApiClient(started.address, key, 'v4').call('GET', '/runs')).status).toBe(401);
  });

  it('stores a file in a workspace, hands it out, and deletes it', async () => {
    const page = await enter();
    await goToPart(page, 'Workspaces');
    await page.getByLabel('Name').fill('Papers');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'note.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('of the console'),
    });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const link = page.getByRole('link', { name: 'note.txt' });
    const saved = page.waitForEvent('download');
    await link.click();
    expect(await (await saved).createReadStream().then(readStream)).toBe('of the console');
    await page.getByRole('button', { name: /^Delete .*note\.txt$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No files yet').waitFor();
  });

  it('opens by a link that leaves no trace in the address, and then changes credit', async () => {
    const page = await open();
    const link = linkAddress(started.address, await makeLink());
    await page.goto(link);
    const confirm = page.getByRole('button', { name: 'Log in by the link' });
    await confirm.waitFor();
    expect(page.url()).not.toContain('login');
    await confirm.click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await goToPart(page, 'Settings');
    await page.getByLabel('Credit in US dollars').fill('12.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$12.50').waitFor();
    await page.getByLabel('Credit in US dollars').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('unlimited').waitFor();
    const again = await open();
    await again.goto(link);
    await again.getByRole('button', { name: 'Log in by the link' }).click();
    await expect.poll(() => again.getByRole('alert').textContent()).toContain('works once');
  });

  it('schedules a task, confirms a proposal, and ends both', async () => {
    const page = await open();
    await page.goto(linkAddress(started.address, await makeLink()));
    await page.getByRole('button', { name: 'Log in by the link' }).click();
    await goToPart(page, 'Schedules');
    await page.getByLabel('Task', { exact: true }).fill('Say good morning');
    await page.getByLabel('Cron').fill('0 9 * * 1-5');
    await page.getByRole('button', { name: 'Schedule the task' }).click();
    const table = page.getByRole('table', { name: 'Scheduled tasks' });
    await table.getByText('0 9 * * 1-5').waitFor();
    const { db } = started.backend;
    const { id } = await db.selectFrom('schedules').select('id').executeTakeFirstOrThrow();
    await db.updateTable('schedules').set({ status: 'proposed' }).where('id', '=', id).execute();
    await page.getByRole('button', { name: 'Confirm Say good morning' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await table.getByText('active').waitFor();
    await picture(page, 'desktop-light-schedules');
    await page.getByRole('button', { name: 'End Say good morning' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('Ended', { exact: true }).waitFor();
    const holder = await enter();
    await goToPart(holder, 'Schedules');
    await holder.getByText('This login only reads them').waitFor();
  });

  it('lets an operator switch to another project, and shows that project from then on', async () => {
    const page = await open();
    await page.goto(linkAddress(started.address, await makeLink()));
    await page.getByRole('button', { name: 'Log in by the link' }).click();
    const choice = page.getByLabel('Project', { exact: true });
    await choice.waitFor();
    await createApiClient(started.address, otherKey, 'v4').call('POST', '/runs', { task: 'Say it of the other' });
    await choice.selectOption('project of svc_othe');
    await page.getByRole('list', { name: 'Tasks' }).getByText('Say it of the other').waitFor();
    await picture(page, 'desktop-light-projects');
    await goToPart(page, 'Settings');
    await page.locator('.facts').getByText('project of svc_othe').waitFor();
    const holder = await enter();
    expect(await holder.getByLabel('Project', { exact: true }).count()).toBe(0);
  });

  it.each([
    {
      name: 'the way in',
      before: (page: Page) => page.goto(started.address).then(() => page.getByLabel('API key').waitFor()),
    },
    { name: 'a login', before: (page: Page) => logInAt(page, started.address) },
  ])('opens by a link in a tab that shows $name already', async ({ before }) => {
    const page = await open();
    await before(page);
    const link = linkAddress(started.address, await makeLink());
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
    await page.getByRole('button', { name: 'Log in by the link' }).click();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await goToPart(page, 'Settings');
    await page.getByLabel('Credit in US dollars').waitFor();
    expect(page.url()).not.toContain('login');
  });

  it('shows an exception in one part in its place, and the other parts as ever', async () => {
    const page = await enterUnwatched();
    await page.route('**/console/api/costs*', (route) => route.fulfill({ json: {} }));
    await page.getByRole('link', { name: 'Costs' }).click();
    await page.getByRole('heading', { name: 'This part cannot be shown' }).waitFor();
    await page.unroute('**/console/api/costs*');
    await goToPart(page, 'Keys');
    await goToPart(page, 'Costs');
  });

  it('says that the offline planner works on tasks where no provider is configured', async () => {
    const page = await enter();
    await page.getByText('No model provider is configured').waitFor();
    await goToPart(page, 'Keys');
    expect(await page.getByText('No model provider is configured').count()).toBe(0);
  });

  it('runs the suite and shows its report, of which no script reaches the console', async () => {
    const page = await enter();
    await goToPart(page, 'Conformance');
    await page.getByLabel('Scope').selectOption('smoke');
    await page.getByRole('button', { name: 'Run the suite' }).click();
    const report = page.frameLocator('iframe[title="Conformance report"]');
    await report.getByRole('heading', { level: 1 }).waitFor();
    await page
      .getByRole('region', { name: 'Last run' })
      .getByText(/^No violation; \d+ requirements passed$/)
      .waitFor();
    const frame = page.frames().find((one) => one.url().includes('/examination/report/'));
    expect(await frame?.evaluate('origin')).toBe('null');
    const login = await started.backend.db
      .selectFrom('api_keys')
      .selectAll()
      .where('name', '=', 'run of the suite')
      .execute();
    expect(login.map(({ revokedAt: at }) => typeof at)).toEqual(['number']);
  });

  it('works on with the keyboard alone: the dialog keeps the focus and gives it back', async () => {
    const page = await enter();
    await goToPart(page, 'Profiles');
    await page.getByLabel('Name of the new profile').fill('Mine');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const remove = page.getByRole('button', { name: 'Delete the profile Mine' });
    await remove.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete the profile Mine?' });
    await dialog.waitFor();
    for (let press = 0; press < 4; press += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(isFocusInDialog)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate(focused)).toBe('Delete the profile Mine');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('No profiles yet').waitFor();
  });

  it('gives another place the focus as soon as it shows it: a key may be pressed before it is painted', async () => {
    const page = await enter();
    // From here on, animation frames and timers never fire.
    await page.evaluate('window.requestAnimationFrame = window.setTimeout = () => 0');
    await goToPart(page, 'Profiles');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
  });

  it('begins with a way past the menu, and every part says where it is', async () => {
    const page = await enter();
    await page.reload();
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toBe('Skip to the content');
    for (const part of parts) {
      await goToPart(page, part);
      await expect.poll(() => page.title()).toBe(`${part} · Console`);
      const current = page.getByRole('navigation', { name: 'Parts of the console' }).locator('[aria-current=page]');
      expect(await current.textContent()).toBe(part);
    }
  });

  it.each([
    { size: 'desktop', viewport: desktop },
    { size: 'phone', viewport: phone },
  ])('on a $size, in light and in dark colours: what it says can be read, and nothing sticks out', async (shown) => {
    const { size, viewport } = shown;
    // With reduced motion, colours change without a transition.
    const page = await enter({ viewport, reducedMotion: 'reduce' });
    for (const part of parts) {
      await goToPart(page, part);
      await page.waitForLoadState('networkidle');
      await audit(page, { size, name: part.toLowerCase() });
    }
    for (const { page: part, id } of await details()) {
      await page.goto(`${started.address}/#/${part}/${id}`);
      await page.getByRole('article').locator('.shot, video').first().waitFor();
      await page.waitForLoadState('networkidle');
      await audit(page, { size, name: `${part}-one` });
    }
  });
});

describe('a page on another port of the host', () => {
  it('gets the cookie and can neither act for the login nor replace it', async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await logInAt(page, started.address);
    const keysBefore = await started.backend.db.selectFrom('api_keys').select('hash').execute();
    const other = await serveElsewhere();
    onTestFinished(() => other.close());
    await page.goto(other.address);
    // Browsers send a cookie to every port of its host.
    const cookie = other.cookie();
    expect(cookie).toContain('svc_console');
    const answered: string[] = [];
    page.on('response', (answer) => answered.push(`${answer.request().method()} ${answer.status()}`));
    expect(await page.evaluate(attack(started.address))).toEqual(['blocked', 'opaque', 'opaque']);
    expect(answered.filter((answer) => !answer.startsWith('OPTIONS'))).toEqual(['POST 403', 'GET 403']);
    // The server of that page can send its own request, with any header.
    const forged = { cookie, origin: started.address, 'content-type': 'application/json' };
    const api = `${started.address}/console/api`;
    const login = await fetch(`${api}/login`, { headers: forged });
    expect([login.status, await login.text()]).toEqual([401, expect.not.stringContaining('csrf')]);
    for (const token of [cookie.split('=')[1] ?? '', computeHmac(cookie)]) {
      const headers = { ...forged, 'x-service-console': token };
      const made = await fetch(`${api}/keys`, { method: 'POST', headers, body: JSON.stringify({ name: 'stolen' }) });
      expect(made.status).toBe(401);
    }
    expect(await started.backend.db.selectFrom('api_keys').select('hash').execute()).toEqual(keysBefore);
    // The other page replaces the existing login by a login of its own project.
    const theirs = await logInWithKey(started.address, otherKey);
    other.setCookies(`${theirs.cookie}; Path=/`);
    await page.goto(other.address);
    await page.goto(started.address);
    await page.getByLabel('API key').waitFor();
    other.setCookies(`${theirs.cookie}; Path=/console`);
    await page.goto(other.address);
    await page.goto(started.address);
    await page.getByLabel('API key').fill(testKey);
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('several console cookies');
  });
});

/** Computes the token that a page of an earlier release could derive from the cookie alone. */
function computeHmac(cookie: string): string {
  return createHmac('sha256', cookie.split('=')[1] ?? '')
    .update('console')
    .digest('base64url');
}

/** Starts a server on another port of the console's host. The server records the cookies that it receives. */
async function serveElsewhere(): Promise<{
  readonly address: string;
  cookie(): string;
  setCookies(header: string): void;
  close(): Promise<void>;
}> {
  let seen = '';
  let toSet: string | null = null;
  const server = createServer((request, response) => {
    seen = request.headers.cookie ?? seen;
    if (toSet !== null) response.setHeader('set-cookie', toSet);
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>');
  });
  await once(server.listen(0, new URL(started.address).hostname), 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://${new URL(started.address).hostname}:${port}/`,
    cookie: () => seen,
    setCookies(header) {
      toSet = header;
    },
    async close() {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

/** Audits the visible page in the light and the dark colour scheme, without a reload. */
async function audit(page: Page, { size, name }: { readonly size: string; readonly name: string }): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `${size}-${colorScheme}-${name}`);
    for (const fault of [sticksOut, unreadable, unnamed])
      expect([colorScheme, name, await page.evaluate(fault)]).toEqual([colorScheme, name, []]);
  }
}

/** Creates a browser with a recording; returns its id when the video has content. */
async function recordedBrowser(): Promise<string> {
  const v4 = createApiClient(started.address, testKey, 'v4');
  const id = String((await v4.call('POST', '/browsers', { enableRecording: true })).body['id']);
  const written = async (): Promise<number> => {
    const query = started.backend.db.selectFrom('recordings').select('id').where('ownerId', '=', id);
    const row = await query.executeTakeFirst();
    if (row === undefined) return 0;
    return statSync(join(started.dataFolder, 'recordings', `${row.id}.webm`), { throwIfNoEntry: false })?.size ?? 0;
  };
  await expect.poll(written).toBeGreaterThan(0);
  return id;
}

/**
 * Creates a task of each generation and a stopped browser, with pictures or recordings. Returns their console pages and
 * ids.
 */
async function details(): Promise<{ page: string; id: string }[]> {
  const [v2, v3, v4] = (['v2', 'v3', 'v4'] as const).map((version) =>
    createApiClient(started.address, testKey, version),
  );
  const of = async (answer: Promise<Answer> | undefined, member = 'id'): Promise<string> =>
    String((await answer)?.body[member]);
  const stopped = await recordedBrowser();
  await v4?.call('PATCH', `/browsers/${stopped}`, { action: 'stop' });
  const session = await of(v3?.call('POST', '/sessions', { task: goal, enableRecording: true, keepAlive: true }));
  return [
    { page: 'tasks', id: await of(v4?.call('POST', '/runs', { task: goal }), 'sessionId') },
    { page: 'v3', id: session },
    { page: 'v2', id: await of(v2?.call('POST', '/tasks', { task: goal }), 'sessionId') },
    { page: 'browsers', id: stopped },
  ];
}

async function readStream(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

it('an integration is tested with a secret of the project, and shows the texts of its server as texts', async () => {
  const page = await enter();
  await goToPart(page, 'Integrations');
  await page.getByRole('button', { name: 'Test odd' }).click();
  await page.getByText('has not stored the secret TOKEN').waitFor();
  await page.getByLabel('TOKEN').fill('tok-1a2b3c4d');
  await page.getByRole('button', { name: 'Store', exact: true }).click();
  await page.getByText('Stored', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Test odd' }).click();
  await page.getByText('Will lie <b>now</b>').waitFor();
  expect(await page.getByText(/^12 tools in \d+ ms$/).count()).toBe(1);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Missing', { exact: true }).waitFor();
  await page.close();
});
