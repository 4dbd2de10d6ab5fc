import { afterEach, expect, it } from 'vitest';
import type { Agent } from '#agent/agent.ts';
import type { BrowserHost } from '#browsers/host.ts';
import type { JsonObject } from '#lib/json.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;

afterEach(() => started.stop());

const hasEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

/**
 * Creates an agent whose task `first` runs until the test calls `letGo`. The agent calls `told` when a task begins, and
 * when the task `first` ends.
 */
function holdingAgent(told: (what: string) => void): { agent: Agent; held: Promise<void>; letGo: () => void } {
  const [held, letting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const agent: Agent = {
    async run({ goal }, world) {
      told(`${goal} begins`);
      if (goal === 'first') {
        // Cancellation takes effect only at a wait; after this wait, the task cannot end early.
        await world.wait(0);
        held.resolve();
        await letting.promise;
        told('first ends');
      }
      return { success: true, output: goal };
    },
  };
  return { agent, held: held.promise, letGo: letting.resolve };
}

it('answers a cancel at once, and begins the next run when all that the cancelled one had started has ended', async () => {
  const order: string[] = [];
  const { agent, held, letGo } = holdingAgent((what) => void order.push(what));
  started = await startBackend({ agent, host: createGatedHost() });
  const v4 = createApiClient(started.address, testKey, 'v4');
  const { id, sessionId = '' } = (await v4.call('POST', '/runs', { task: 'first' })).body;
  await held;
  expect((await v4.call('POST', `/runs/${String(id)}/cancel`)).status).toBe(200);
  expect((await v4.call('GET', `/runs/${String(id)}`)).body['status']).toBe('cancelled');
  const next = (await v4.call('POST', '/runs', { task: 'second', sessionId })).body;
  expect((await v4.call('GET', `/runs/${String(next['id'])}`)).body['status']).toBe('running');
  letGo();
  await v4.until(String(next['id']), hasEnded);
  expect(order).toEqual(['first begins', 'first ends', 'second begins']);
});

it('tells the browser how each task ended before the next one begins', async () => {
  const order: string[] = [];
  const simulated = createSimulatedHost();
  const endTask = async (isCancelled: boolean): Promise<void> => {
    order.push(isCancelled ? 'cancelled' : 'completed');
  };
  const host: BrowserHost = {
    ...simulated,
    launch: async (options) => ({ ...(await simulated.launch(options)), endTask }),
  };
  const { agent, held, letGo } = holdingAgent((what) => void order.push(what));
  started = await startBackend({ agent, host });
  const v4 = createApiClient(started.address, testKey, 'v4');
  const { id, sessionId = '' } = (await v4.call('POST', '/runs', { task: 'first' })).body;
  await held;
  await v4.call('POST', `/runs/${String(id)}/cancel`);
  const next = (await v4.call('POST', '/runs', { task: 'second', sessionId })).body;
  letGo();
  await v4.until(String(next['id']), hasEnded);
  expect(order.filter((what) => what !== 'first ends')).toEqual([
    'first begins',
    'cancelled',
    'second begins',
    'completed',
  ]);
});

/** Creates a host whose first browser rejects each request to end a task. */
function stuckAtFirst(): {
  readonly host: BrowserHost;
  readonly running: () => number;
  readonly launches: () => number;
} {
  const simulated = createSimulatedHost();
  let launches = 0;
  const endTask = (): Promise<void> => Promise.reject(new Error('The browser does not answer.'));
  const host: BrowserHost = {
    ...simulated,
    async launch(options) {
      launches += 1;
      const browser = await simulated.launch(options);
      return launches === 1 ? { ...browser, endTask } : browser;
    },
  };
  return { host, running: () => simulated.figures().running, launches: () => launches };
}

it('replaces a browser that does not end what a cancelled run had started', async () => {
  const { host, running, launches } = stuckAtFirst();
  const { agent, held, letGo } = holdingAgent(() => undefined);
  started = await startBackend({ agent, host });
  const v4 = createApiClient(started.address, testKey, 'v4');
  const { id, sessionId = '' } = (await v4.call('POST', '/runs', { task: 'first' })).body;
  await held;
  await v4.call('POST', `/runs/${String(id)}/cancel`);
  letGo();
  await expect.poll(running).toBe(0);
  const next = (await v4.call('POST', '/runs', { task: 'second', sessionId })).body;
  expect(await v4.until(String(next['id']), hasEnded)).toMatchObject({ status: 'completed', result: 'second' });
  expect(launches()).toBe(2);
});

it('keeps a V3 session idle when its browser does not end what a stopped task had started', async () => {
  const { host, running, launches } = stuckAtFirst();
  const { agent, held, letGo } = holdingAgent(() => undefined);
  started = await startBackend({ agent, host });
  const v3 = createApiClient(started.address, testKey, 'v3');
  const { id } = (await v3.call('POST', '/sessions', { task: 'first', keepAlive: true })).body;
  await held;
  await v3.call('POST', `/sessions/${String(id)}/stop`, { strategy: 'task' });
  letGo();
  await expect.poll(running).toBe(0);
  expect((await v3.call('GET', `/sessions/${String(id)}`)).body).toMatchObject({ status: 'idle' });
  await v3.call('POST', '/sessions', { sessionId: id, task: 'second' });
  await v3.until(String(id), ({ output, status }) => status === 'idle' && output === 'second');
  expect(launches()).toBe(2);
  const { body } = await v3.call('POST', `/sessions/${String(id)}/stop`, { strategy: 'session' });
  expect(body).toMatchObject({ status: 'stopped' });
});

it('records the outcome of a run whose browser does not end what it had started, and replaces the browser', async () => {
  const { host, running, launches } = stuckAtFirst();
  const { agent, held, letGo } = holdingAgent(() => undefined);
  started = await startBackend({ agent, host });
  const v3 = createApiClient(started.address, testKey, 'v3');
  const { id } = (await v3.call('POST', '/sessions', { task: 'first', keepAlive: true })).body;
  await held;
  letGo();
  const ended = await v3.until(String(id), ({ status }) => status !== 'running' && status !== 'created');
  expect(ended).toMatchObject({ status: 'idle', isTaskSuccessful: true, output: 'first' });
  await expect.poll(running).toBe(0);
  await v3.call('POST', '/sessions', { sessionId: id, task: 'second' });
  await v3.until(String(id), ({ output, status }) => status === 'idle' && output === 'second');
  expect(launches()).toBe(2);
});
