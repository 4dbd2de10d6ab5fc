import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CdpMessage } from './cdp-client.ts';
import { createCdpPipe, createNulSplitter } from './cdp-pipe.ts';

function pipe(messageBytesMax?: number): {
  toBrowser: PassThrough;
  fromBrowser: PassThrough;
  pipe: ReturnType<typeof createCdpPipe>;
  got: CdpMessage[];
} {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const created = createCdpPipe(toBrowser, fromBrowser, messageBytesMax);
  const got: CdpMessage[] = [];
  created.listen((message) => got.push(message));
  return { toBrowser, fromBrowser, pipe: created, got };
}

test('writes and reads NUL-terminated messages', () => {
  const { toBrowser, fromBrowser, pipe: created, got } = pipe();
  created.send({ id: 1, method: 'Browser.getVersion' });
  expect(String(toBrowser.read())).toBe('{"id":1,"method":"Browser.getVersion"}\0');
  fromBrowser.emit('data', Buffer.from('{"id":1}\0{"id":'));
  fromBrowser.emit('data', Buffer.from('2}\0'));
  expect(got).toEqual([{ id: 1 }, { id: 2 }]);
});

test('closes when the browser closes its end, and sends nothing afterwards', async () => {
  const { toBrowser, fromBrowser, pipe: created } = pipe();
  fromBrowser.destroy();
  expect(await created.closed).toBe('The browser closed its debugging pipe.');
  created.send({ id: 1 });
  expect(toBrowser.read()).toBeNull();
});

test('closes with the reason when the browser writes something else than messages', async () => {
  const { fromBrowser, pipe: created } = pipe();
  fromBrowser.write('[1]\0');
  expect(await created.closed).toBe('The debugging pipe broke: A DevTools message must be a JSON object.');
});

test('says when the browser does not keep up, and when it has caught up or gone', async () => {
  const { toBrowser, pipe: created } = pipe();
  expect(created.ready()).toBeNull();
  created.send({ id: 1, method: 'x'.repeat(100_000) });
  const first = created.ready();
  expect(created.ready()).toBe(first);
  toBrowser.resume();
  await first;
  expect(created.ready()).toBeNull();
  toBrowser.pause();
  created.send({ id: 2, method: 'x'.repeat(100_000) });
  const second = created.ready();
  expect(second).not.toBeNull();
  toBrowser.destroy();
  await second;
  expect(created.ready()).toBeNull();
});

test('answers for the browser when its reply is too large, drops such an event, and goes on', () => {
  const { fromBrowser, got } = pipe(100_000);
  const large = 'x'.repeat(100_001);
  fromBrowser.emit(
    'data',
    Buffer.from(`{"id":3,"result":{"a":"${large}"}}\0{"method":"A","params":{"a":"${large}"}}\0`),
  );
  fromBrowser.emit('data', Buffer.from('{"id":4,"result":{}}\0'));
  expect(got).toEqual([
    { id: 3, error: { code: -32_000, message: 'The reply is larger than 100000 bytes.' } },
    { id: 4, result: {} },
  ]);
});

test('writes no command that the browser would close its pipe for', () => {
  const { toBrowser, pipe: created } = pipe();
  expect(created.send({ id: 1, params: { a: 'é'.repeat(50 * 1024 * 1024) } })).toBe(false);
  expect(toBrowser.read()).toBeNull();
  expect(created.send({ id: 2 })).toBe(true);
});

test('offers a message unparsed when its ends name the addressee, and parses it when it is not taken', () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const created = createCdpPipe(toBrowser, fromBrowser);
  const [got, offered]: [CdpMessage[], (number | null)[]] = [[], []];
  created.listen(
    (message) => got.push(message),
    ({ id }) => offered.push(id) > 0 && id === 1,
  );
  const sessionId = 'A'.repeat(32);
  const messages = [
    { id: 1, result: { value: 'x'.repeat(300_000) }, sessionId },
    { id: 2, result: {}, sessionId },
    { method: 'Page.screencastFrame', params: {}, sessionId },
    { method: 'Target.targetCreated', params: {}, sessionId },
    { id: 3, result: {} },
  ];
  fromBrowser.emit('data', Buffer.from(messages.map((message) => `${JSON.stringify(message)}\0`).join('')));
  expect(offered).toEqual([1, 2, null]);
  expect(got).toEqual(messages.slice(1));
});

test('reads no message of more bytes or values than the event loop can bear, and leaves no dialog open', () => {
  const { fromBrowser, got } = pipe();
  const long = 'x'.repeat(5_000_000);
  const session = `"sessionId":"${'A'.repeat(32)}"}\0`;
  fromBrowser.emit('data', Buffer.from(`{"id":1,"result":{"a":"${long}"},${session}`));
  fromBrowser.emit('data', Buffer.from(`{"id":2,"result":{"a":[${'0,'.repeat(200_000)}0]},${session}`));
  fromBrowser.emit('data', Buffer.from(`{"method":"Runtime.consoleAPICalled","params":{"a":"${long}"},${session}`));
  fromBrowser.emit('data', Buffer.from(`{"method":"Page.javascriptDialogOpening","params":{"a":"${long}"},${session}`));
  fromBrowser.emit('data', Buffer.from('{"id":3,"result":{}}\0'));
  const error = { code: -32_000, message: 'The reply is too large to be read.' };
  expect(got).toMatchObject([
    { id: 1, error, sessionId: 'A'.repeat(32) },
    { id: 2, error },
    { method: 'Page.javascriptDialogOpening', sessionId: 'A'.repeat(32), params: { type: 'alert' } },
    { id: 3 },
  ]);
});

test('writes unparsed params unchanged', () => {
  const { toBrowser, pipe: created } = pipe();
  created.send({ id: 1, method: 'a.b', params: {}, sessionId: 'S', unreadParams: Buffer.from('{"a": 1}') });
  expect(String(toBrowser.read())).toBe('{"id":1,"method":"a.b","sessionId":"S","params":{"a": 1}}\0');
});

test('gives back the texts however the stream is cut', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')));
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (given, sizes) => {
      const stream = Buffer.from(given.map((text) => `${text}\0`).join(''));
      const got: string[] = [];
      const listener = {
        text: (bytes: Buffer) => got.push(bytes.toString('utf8')),
        tooLarge: () => got.push('too large'),
      };
      const push = createNulSplitter(listener, 1_000_000);
      for (let start = 0; start < stream.length; ) {
        const end = start + (sizes.next().value ?? 1);
        push(stream.subarray(start, end));
        start = end;
      }
      // Compared as bytes: lone surrogates have no UTF-8 form of their own.
      expect(got.map((text) => Buffer.from(text))).toEqual(given.map((text) => Buffer.from(text)));
    }),
    { seed: 20_261_120 },
  );
});

test('a text that is too large is thrown away up to its end, and those after it are delivered', () => {
  const got: string[] = [];
  const listener = {
    text: (bytes: Buffer) => got.push(bytes.toString('utf8')),
    tooLarge: (start: string) => got.push(`too large: ${start}`),
  };
  const push = createNulSplitter(listener, 1_000);
  const stream = Buffer.from(`before\0{"id":7,${'x'.repeat(5_000)}\0after\0${'y'.repeat(1_000)}\0`);
  for (let start = 0; start < stream.length; start += 100) push(stream.subarray(start, start + 100));
  expect(got).toEqual(['before', `too large: {"id":7,${'x'.repeat(248)}`, 'after', 'y'.repeat(1_000)]);
});

test('says which text lies in memory of its own', () => {
  const got: (readonly [string, boolean])[] = [];
  const text = (bytes: Buffer, isOwn: boolean): void => void got.push([String(bytes), isOwn]);
  const push = createNulSplitter({ text, tooLarge: () => undefined }, 1_000);
  const chunk = Buffer.from('whole\0in two ');
  push(chunk);
  push(Buffer.from('parts\0'));
  expect(got).toEqual([
    ['whole', false],
    ['in two parts', true],
  ]);
});

test('reads for a few milliseconds at a time when the browser says much, and loses nothing', async () => {
  const { fromBrowser, pipe: created } = pipe();
  const turns: number[] = [];
  let turn = 0;
  created.listen(() => {
    turns.push(turn);
    const end = performance.now() + 5;
    while (performance.now() < end);
  });
  for (let id = 1; id <= 20; id += 1) fromBrowser.write(`{"id":${id}}\0`);
  while (turns.length < 20) await new Promise((resolve) => setImmediate(() => resolve((turn += 1))));
  const sizes = [...Map.groupBy(turns, (at) => at).values()].map((messages) => messages.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
});
