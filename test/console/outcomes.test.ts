import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConsoleCosts, ConsoleSessionDetail, ConsoleSessions } from '#contract/console-messages.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type LoggedIn, logInWithKey } from '../support/console-client.ts';
import { launchChromium, logInAt, openPage } from '../support/console-page.ts';
import { createScriptedAgent, waitForTask } from '../support/scripted-agent.ts';
import { createScriptedModels, asking, replied } from '../support/scripted-models.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from '../support/start-backend.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** This file tests how the console shows the outcomes of tasks of each generation. */

let planned: StartedBackend;
let browser: Browser;
let login: LoggedIn;

beforeAll(async () => {
  planned = await startBackend();
  browser = await launchChromium();
  login = await logInWithKey(planned.address, testKey);
});
afterAll(async () => {
  await browser.close();
  await planned.stop();
});

const client = (version: 'v2' | 'v3' | 'v4'): ApiClient => createApiClient(planned.address, testKey, version);

async function listed(query: string): Promise<ConsoleSessions> {
  return (await login.call('GET', `/sessions?${query}`)).body as ConsoleSessions;
}

/** Creates a V4 task and waits for its completion. Returns the id of its session. */
async function endedTask(task: string): Promise<string> {
  const { id, sessionId } = (await client('v4').call('POST', '/runs', { task })).body;
  await client('v4').until(String(id), ({ status }) => status === 'completed');
  return String(sessionId);
}

async function stoppedTask(): Promise<string> {
  const v4 = client('v4');
  const { id, sessionId } = (await v4.call('POST', '/runs', { task: 'svc-test: slow 600' })).body;
  await v4.call('POST', `/runs/${String(id)}/cancel`);
  await v4.until(String(id), ({ status }) => status === 'cancelled');
  return String(sessionId);
}

async function openSession(place: string): Promise<Page> {
  const page = await openPage({ browser, address: planned.address });
  await logInAt(page, planned.address);
  await page.goto(`${planned.address}/#/${place}`);
  return page;
}

describe('sessions of a generation', () => {
  it('are found by title, task and id, and by the outcome of their latest task', async () => {
    const [missed, stopped] = [await endedTask('svc-test: fail'), await stoppedTask()];
    const achieved = await endedTask('Say 100% of this_one, Ärger too');
    const ids = async (query: string): Promise<string[]> =>
      (await listed(`generation=v4&${query}`)).sessions.map(({ id }) => id);
    expect(await ids('')).toEqual(expect.arrayContaining([achieved, stopped, missed]));
    expect(await ids(`search=${encodeURIComponent('100% OF THIS_ONE')}`)).toEqual([achieved]);
    // SQLite itself converts the case of A to Z only.
    expect(await ids(`search=${encodeURIComponent('ÄRGER')}`)).toEqual([achieved]);
    // The wildcards of SQL LIKE match only themselves.
    expect(await ids(`search=${encodeURIComponent('100_ of')}`)).toEqual([]);
    expect(await ids(`search=${missed}`)).toEqual([missed]);
    expect(await ids('outcome=missed')).toEqual([missed]);
    expect(await ids('outcome=stopped')).toEqual([stopped]);
    expect(await ids('outcome=achieved&search=nothing')).toEqual([]);
    expect(await listed('generation=v4&limit=1')).toMatchObject({ sessions: [{ id: achieved }], hasMore: true });
    expect((await listed('generation=v3')).sessions).toEqual([]);
    const other = await logInWithKey(planned.address, otherKey);
    expect((await other.call('GET', '/sessions?generation=v4')).body).toEqual({ sessions: [], hasMore: false });
    expect((await other.call('GET', `/sessions/${missed}`)).status).toBe(404);
  });

  it('of every generation have a name and the words of their generation', async () => {
    const v2 = client('v2');
    const { id } = (await v2.call('POST', '/tasks', { task: 'svc-test: fail' })).body;
    await v2.until(String(id), ({ status }) => status === 'finished');
    expect((await listed('generation=v2')).sessions[0]).toMatchObject({
      name: 'svc-test: fail',
      status: 'finished',
      outcome: 'missed',
    });
    const empty = (await v2.call('POST', '/sessions', {})).body;
    expect((await listed('generation=v2')).sessions[0]).toMatchObject({
      id: empty['id'],
      name: null,
      status: 'active',
    });
  });
});

describe('a task that was completed without its goal', () => {
  it('is amber in the list and the head of its session; one that was stopped is not', async () => {
    const [missed, stopped] = [await endedTask('svc-test: fail'), await stoppedTask()];
    const page = await openSession(`tasks/${missed}`);
    const head = page.getByRole('article').locator('.head');
    await head.locator('.badge.missed').waitFor();
    expect(await head.textContent()).toContain('completed, goal not achieved');
    const reason = 'This test task fails on purpose.';
    expect(await head.locator('.missed-reason').textContent()).toBe(reason);
    const card = (id: string) => page.getByRole('list', { name: 'Tasks' }).locator(`a[href$="${id}"]`);
    await card(missed).locator('.badge.missed').waitFor();
    expect(await card(missed).locator('.missed-reason').textContent()).toBe(reason);
    await card(stopped).getByText('cancelled').waitFor();
    expect(await card(stopped).locator('.missed').count()).toBe(0);
  });

  it('is amber in the head of a V2 session that has ended, in the words of its task', async () => {
    const v2 = client('v2');
    const { id, sessionId } = (await v2.call('POST', '/tasks', { task: 'svc-test: fail' })).body;
    await v2.until(String(id), ({ status }) => status === 'finished');
    const page = await openSession(`v2/${String(sessionId)}`);
    await page.getByRole('article').locator('.head').getByText('finished, goal not achieved').waitFor();
  });

  it('is completed and amber in a V3 session that has ended', async () => {
    const v3 = client('v3');
    const { id } = (await v3.call('POST', '/sessions', { task: 'svc-test: fail' })).body;
    await v3.until(String(id), ({ status }) => status === 'stopped');
    const page = await openSession(`v3/${String(id)}`);
    await page.getByRole('article').getByText('completed, goal not achieved').waitFor();
  });
});

describe('the worker of a task', () => {
  it('is the offline planner where no model has answered, and there is no cost of a model', async () => {
    const id = await endedTask('Say hello');
    const page = await openSession(`tasks/${id}`);
    const facts = page.getByRole('article').locator('.facts').first();
    await facts.getByText('offline planner').waitFor();
    expect(await facts.textContent()).not.toMatch(/gpt|For the model/);
  });

  it('is the model that has answered, with its cost', async () => {
    const [agent, models] = [createScriptedAgent(), createScriptedModels()];
    const served = await startBackend({ agent, models });
    try {
      const v4 = createApiClient(served.address, testKey, 'v4');
      const { id, sessionId } = (await v4.call('POST', '/runs', { task: 'goal' })).body;
      const task = await waitForTask(agent, 'goal');
      models.answering = async () => replied(1000, 1000);
      await task.world.model?.call(asking(1000));
      task.finish({ success: true, output: 'ok' });
      await v4.until(String(id), ({ status }) => status === 'completed');
      const asker = await logInWithKey(served.address, testKey);
      const { runs } = (await asker.call('GET', `/sessions/${String(sessionId)}`)).body as ConsoleSessionDetail;
      const [run] = runs;
      expect(run).toMatchObject({ answeredBy: 'model', outcome: 'achieved' });
      expect(run?.llmMicros).toBeGreaterThan(0);
      const { days, models: costs } = (await asker.call('GET', '/costs?days=1')).body as ConsoleCosts;
      expect(days).toMatchObject([{ llmMicros: run?.llmMicros, simulatedMicros: 0 }]);
      expect(costs).toEqual([{ answeredBy: 'model', model: expect.any(String), runs: 1, llmMicros: run?.llmMicros }]);
    } finally {
      await served.stop();
    }
  });
});
