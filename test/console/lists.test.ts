import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { goToPart, launchChromium, logInAt, openPage } from '../support/console-page.ts';
import { type StartedBackend, startBackend, testKey } from '../support/start-backend.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let started: StartedBackend;
let browser: Browser;

beforeAll(async () => {
  started = await startBackend();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await started.stop();
});

async function enter(options?: Parameters<typeof openPage>[1]): Promise<Page> {
  const page = await openPage({ browser, address: started.address }, options);
  await logInAt(page, started.address);
  return page;
}

/** Script that disables timers of two seconds and more, so that the page does not poll. */
const stopPolls = `{
  const set = window.setTimeout;
  window.setTimeout = (work, ms, ...given) => (ms >= 2000 ? 0 : set(work, ms, ...given));
}`;

describe('a list', () => {
  it('shows what was just made and deleted at once, without waiting for its next reading', async () => {
    const page = await openPage({ browser, address: started.address });
    await page.addInitScript({ content: stopPolls });
    await logInAt(page, started.address);
    await page.getByLabel('Describe the task').fill('Say one');
    await page.getByRole('button', { name: 'Start the task' }).click();
    const list = page.getByRole('list', { name: 'Tasks' });
    await list.getByText('Say one').waitFor();
    await goToPart(page, 'Workspaces');
    await page.getByLabel('Name').fill('Papers');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('list', { name: 'Workspaces' }).getByText('Papers').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete Papers?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('list', { name: 'Workspaces' }).getByText('Papers').waitFor({ state: 'detached' });
  });

  it('is searched as one types and filtered by outcome, and says when nothing matches', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    for (const task of ['Say apples', 'svc-test: fail']) {
      const { id } = (await v4.call('POST', '/runs', { task })).body;
      await v4.until(String(id), ({ status }) => status === 'completed');
    }
    const page = await enter();
    const list = page.getByRole('list', { name: 'Tasks' });
    await list.getByText('Say apples').waitFor();
    await page.getByLabel('Search by title, task or id').fill('fail');
    await list.getByText('Say apples').waitFor({ state: 'detached' });
    await list.getByText('svc-test: fail').waitFor();
    await page.getByLabel('Outcome').selectOption('Achieved');
    await page.getByText('Nothing matches').waitFor();
    await page.getByLabel('Search by title, task or id').fill('');
    await list.getByText('Say apples').waitFor();
    expect(await list.getByText('svc-test: fail').count()).toBe(0);
  });

  it('of workspaces is searched by name and id, and its search keeps the focus when it is cleared', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    await v4.call('POST', '/workspaces', { name: 'Invoices' });
    const { id } = (await v4.call('POST', '/workspaces', { name: 'Letters' })).body;
    const page = await enter();
    await goToPart(page, 'Workspaces');
    const list = page.getByRole('list', { name: 'Workspaces' });
    const search = page.getByLabel('Search workspaces');
    await list.getByText('Letters').waitFor();
    await search.fill('INVO');
    await list.getByText('Letters').waitFor({ state: 'detached' });
    await list.getByText('Invoices').waitFor();
    await search.fill('no such name');
    await page.getByText('Nothing matches').waitFor();
    await search.fill(String(id));
    await list.getByText('Letters').waitFor();
    await search.fill('');
    await list.getByText('Invoices').waitFor();
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });

  it('of profiles is searched by name', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    for (const name of ['Shop', 'Bank']) await v4.call('POST', '/profiles', { name });
    const page = await enter();
    await goToPart(page, 'Profiles');
    const shown = (name: string) => page.getByRole('rowheader', { name });
    await shown('Bank').waitFor();
    await page.getByLabel('Search profiles').fill('sho');
    await shown('Bank').waitFor({ state: 'detached' });
    await shown('Shop').waitFor();
    await page.getByLabel('Search profiles').fill('no such name');
    await page.getByText('Nothing matches').waitFor();
  });

  it('names browsers by their label or start, never by a part of their id', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    const ids = [
      (await v4.call('POST', '/browsers', { metadata: { name: 'Checkout' } })).body['id'],
      (await v4.call('POST', '/browsers', {})).body['id'],
    ].map(String);
    const page = await enter();
    await goToPart(page, 'Browsers');
    const list = page.getByRole('list', { name: 'Browsers' });
    await list.getByText('Checkout').waitFor();
    await list.getByText(/^Browser of /).waitFor();
    for (const id of ids) expect(await list.textContent()).not.toContain(id.slice(0, 8));
    await v4.call('PATCH', `/browsers/${String(ids[0])}`, { action: 'stop' });
    await page.getByLabel('State', { exact: true }).selectOption('Stopped');
    await list.getByText(/^Browser of /).waitFor({ state: 'detached' });
    await list.getByText('Checkout').waitFor();
  });
});

describe('a profile without a name', () => {
  it('is called by its user or the time at which it was made, in its list and in forms', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    const { id } = (await v4.call('POST', '/profiles', {})).body;
    const page = await enter();
    await goToPart(page, 'Profiles');
    await page.getByRole('rowheader', { name: /^Profile of / }).waitFor();
    await goToPart(page, 'Browsers');
    const option = page.getByLabel('Profile', { exact: false }).locator(`option[value="${String(id)}"]`);
    await expect.poll(() => option.textContent()).toMatch(/^Profile of /);
  });
});

describe('what was just done', () => {
  it.each([
    { size: 'desktop', viewport: { width: 1280, height: 860 } },
    { size: 'phone', viewport: { width: 360, height: 740 } },
  ])('is said in the bar on a $size, where it covers nothing', async ({ viewport }) => {
    const page = await enter({ viewport });
    await goToPart(page, 'Profiles');
    await page.getByLabel('Name of the new profile').fill('Mine');
    await page.getByRole('button', { name: 'Create profile' }).click();
    const said = page.getByRole('status').getByText('The profile was created');
    await said.waitFor();
    const [toast, bar] = [await said.boundingBox(), await page.locator('header.bar').boundingBox()];
    expect((toast?.y ?? 0) + (toast?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
    // The announcer covers no control of the bar either.
    const covered = `[...document.querySelectorAll('.bar button, .bar .project')].filter((element) => {
      const [one, other] = [element.getBoundingClientRect(), document.querySelector('.announcer p').getBoundingClientRect()];
      return one.width > 0 && one.left < other.right - 1 && other.left < one.right - 1;
    }).length`;
    expect(await page.evaluate(covered)).toBe(0);
  });
});

describe('the page', () => {
  it('has an icon of its own, and one beside each part in its menu', async () => {
    const page = await enter();
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg\+xml,/);
    const links = page.getByRole('navigation', { name: 'Parts of the console' }).getByRole('link');
    expect(await links.locator('svg').count()).toBe(await links.count());
  });
});
