import { expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { downloadBounds } from '#browsers/downloads/downloads.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { createSandboxes, TaskEnd } from './sandboxes.ts';

it('ends the tasks of the runs that are named, and without names all of them', () => {
  const sandboxes = createSandboxes();
  const { tasks } = sandboxes.ensure('s');
  for (const runId of ['ended', 'next']) tasks.set(runId, new AbortController());
  const reasons = (): unknown[] => [...tasks.values()].map(({ signal }) => signal.reason);
  sandboxes.endTasks('s', 'stopped', ['ended']);
  expect(reasons()).toEqual([new TaskEnd('stopped'), undefined]);
  sandboxes.endTasks('s', 'shutdown');
  expect(reasons()).toEqual([new TaskEnd('stopped'), new TaskEnd('shutdown')]);
});

it('a sandbox that is closed again is waited for until its browser has gone', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const sandboxes = createSandboxes(() => left);
  const host = createSimulatedHost();
  const browser = await host.launch({
    sessionId: 's',
    screen: { width: 800, height: 600 },
    proxyCountryCode: null,
    customProxy: null,
    profile: null,
    downloads: downloadBounds(defaultRules),
    signal: new AbortController().signal,
  });
  sandboxes.ensure('s').browser = browser;
  const closed: string[] = [];
  const closing = ['first', 'again'].map(async (name) => {
    await sandboxes.close('s');
    closed.push(name);
  });
  await browser.ended;
  expect([closed, sandboxes.isLeaving('s')]).toEqual([[], true]);
  leave();
  await Promise.all(closing);
  expect(closed).toEqual(['first', 'again']);
  await host.close();
});
