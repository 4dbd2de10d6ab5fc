import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import type { AgentWorld } from './agent.ts';
import { createOutputJudges } from './output/schema/create-output-judges.ts';
import { openTaskScope } from './task-scope.ts';
import { filesInMemory } from './testing/files-in-memory.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

const reason = new Error('stopped');

async function createWorld(changes: Partial<AgentWorld> = {}): Promise<AgentWorld> {
  const screen = { width: 800, height: 600 };
  const browser = await createSimulatedHost().launch({ sessionId: 's', screen, proxyCountryCode: null });
  return {
    signal: new AbortController().signal,
    tab: () => browser.tab(),
    files: filesInMemory({ 'a.txt': 'x' }),
    mailbox: null,
    model: null,
    judge: judges.of('project'),
    step: async () => undefined,
    wait: async () => undefined,
    ...changes,
  };
}

it('rejects an operation when its task is ended, and is not settled before the operation has ended', async () => {
  const task = new AbortController();
  const scope = openTaskScope(task.signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = scope.run(() => promise);
  task.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(await scope.settled(10)).toBe(false);
  resolve();
  expect(await scope.settled(10_000)).toBe(true);
});

it('waits for an operation that another one begins while it ends', async () => {
  const scope = openTaskScope(new AbortController().signal);
  const order: string[] = [];
  const outer = scope.run(async () => {
    await setImmediate();
    void scope.run(async () => {
      await setImmediate();
      order.push('inner');
    });
    order.push('outer');
  });
  expect(await scope.settled(10_000)).toBe(true);
  await outer;
  expect(order).toEqual(['outer', 'inner']);
});

it('begins nothing of a world after it was closed', async () => {
  const begun: string[] = [];
  const scope = openTaskScope(new AbortController().signal);
  const given = await createWorld({
    step: async () => void begun.push('step'),
    wait: async () => void begun.push('wait'),
  });
  const world = scope.own(given);
  const tab = await world.tab();
  await tab.open('https://a.example/');
  scope.close();
  for (const operation of [
    () => tab.open('https://b.example/'),
    () => tab.elements.click('e1'),
    () => world.tab(),
    () => world.files.list(),
    () => world.wait(1),
    () => world.step({ summary: '', action: {}, url: '', usage: { inputTokens: 0, outputTokens: 0 } }),
  ])
    await expect(operation()).rejects.toThrow('The task has ended.');
  expect([begun, await (await given.tab()).url()]).toEqual([[], 'https://a.example/']);
});

it('rejects an operation that ends its own task and never ends itself', async () => {
  const task = new AbortController();
  const never = (): Promise<void> => {
    task.abort(reason);
    return new Promise(() => undefined);
  };
  await expect(openTaskScope(task.signal).run(never)).rejects.toBe(reason);
});

it('rejects an operation that succeeds after the end of its task', async () => {
  const task = new AbortController();
  const scope = openTaskScope(task.signal);
  await expect(scope.run(async () => task.abort(reason))).rejects.toBe(reason);
});
