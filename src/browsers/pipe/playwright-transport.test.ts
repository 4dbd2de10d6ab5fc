import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createCdpPipe } from './cdp-pipe.ts';
import { CdpMux } from './cdp-mux.ts';
import { createPlaywrightTransport, createTaskQueue } from './playwright-transport.ts';

test('promises settle between two pieces of work, and the order is kept', async () => {
  const seen: string[] = [];
  const inOwnTask = createTaskQueue();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  for (const name of ['a', 'b', 'c']) {
    inOwnTask(() => {
      seen.push(name);
      void Promise.resolve().then(() => seen.push(`after ${name}`));
      if (name === 'b') inOwnTask(resolve);
    });
  }
  expect(seen).toEqual([]);
  await done;
  expect(seen).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c']);
});

test('Playwright gets messages that came in one read in tasks of their own', async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const attaching = createPlaywrightTransport(new CdpMux(createCdpPipe(toBrowser, fromBrowser)), () => undefined);
  await once(toBrowser, 'readable');
  fromBrowser.write('{"id":1,"result":{"sessionId":"ROOT"}}\0');
  const transport = await attaching;
  const seen: unknown[] = [];
  const { promise: second, resolve } = Promise.withResolvers<void>();
  const onmessage = (message: object): void => {
    seen.push(message);
    void Promise.resolve().then(() => seen.push('settled'));
    if (seen.length > 1) resolve();
  };
  Object.assign(transport, { onmessage });
  fromBrowser.write('{"sessionId":"ROOT","method":"A"}\0{"sessionId":"ROOT","method":"B"}\0');
  await second;
  expect(seen).toEqual([{ method: 'A' }, 'settled', { method: 'B' }, 'settled']);
});

const root = 'A'.repeat(32);
const page = 'B'.repeat(32);
const other = 'C'.repeat(32);

test('what a page says to its console is no message for Playwright, and is let go in the browser', async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const say = (message: object): void => void fromBrowser.emit('data', Buffer.from(`${JSON.stringify(message)}\0`));
  const sent = (): string[] =>
    String(toBrowser.read() ?? '')
      .split('\0')
      .slice(0, -1);
  const attaching = createPlaywrightTransport(new CdpMux(createCdpPipe(toBrowser, fromBrowser)), () => undefined);
  say({ id: 1, result: { sessionId: root } });
  const transport = await attaching;
  const methods: unknown[] = [];
  const { promise: navigated, resolve } = Promise.withResolvers<void>();
  const onmessage = (message: object): void => {
    if (methods.push(Reflect.get(message, 'method')) === 3) resolve();
  };
  Object.assign(transport, { onmessage });
  for (const sessionId of [page, other])
    say({ method: 'Target.attachedToTarget', params: { sessionId }, sessionId: root });
  sent();
  const call = { method: 'Runtime.consoleAPICalled', params: { type: 'log' }, sessionId: page };
  for (let calls = 2; calls < 200; calls += 1) say(call);
  say({ ...call, sessionId: other });
  expect(sent()).toEqual([]);
  say(call);
  const release = { method: 'Runtime.releaseObjectGroup', params: { objectGroup: 'console' } };
  expect(sent().map((text) => JSON.parse(text))).toEqual([
    { id: 2, ...release, sessionId: page },
    { id: 3, ...release, sessionId: other },
  ]);
  say({ id: 2, result: {}, sessionId: page });
  say({ id: 3, result: {}, sessionId: other });
  say({ method: 'Page.frameNavigated', params: {}, sessionId: page });
  await navigated;
  expect(methods).toEqual(['Target.attachedToTarget', 'Target.attachedToTarget', 'Page.frameNavigated']);
});
