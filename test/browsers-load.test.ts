import { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const mebibyte = 1024 * 1024;

/** Limits of the service that are so low that a test reaches them without minutes of traffic or gigabytes of memory. */
const smaller: Readonly<Record<string, number>> = {
  cdpBacklog: 32 * mebibyte,
  cdpBrowserBacklog: 24 * mebibyte,
  cdpUnanswered: 1000,
};
const rules: RuleBook = {
  ...defaultRules,
  limits: {
    ...defaultRules.limits,
    limits: defaultRules.limits.limits.map((row) =>
      'value' in row ? { ...row, value: smaller[row.limit] ?? row.value } : row,
    ),
  },
};

let real: RealBackend;
let id: string;
let cdpUrl: string;

beforeAll(async () => {
  real = await startRealBackend({ rules });
});
afterAll(() => real.stop());
beforeEach(async () => {
  ({ id, cdpUrl } = await real.browser());
  return async () => {
    await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  };
});

describe('a client that sends or asks for much', () => {
  // The browser produces 210 MB, and the service discards them.
  it('gets an error in place of a reply that is too large, without effect on other clients', async () => {
    const bystander = await connectRaw(cdpUrl);
    const client = await connectRaw(cdpUrl);
    const session = await client.page();
    const expression = '"x".repeat(210e6)';
    const reply = await client.call('Runtime.evaluate', { expression, returnByValue: true }, session);
    expect(reply).toMatchObject({ sessionId: session, error: { code: -32_000 } });
    for (const each of [client, bystander]) expect(await each.result('Browser.getVersion')).toHaveProperty('product');
    client.close();
    bystander.close();
  });

  it('gets an error for a large command of a method whose params are read', async () => {
    const bystander = await connectRaw(cdpUrl);
    const client = await connectRaw(cdpUrl);
    const params = `{"a":[${'1e20,'.repeat(1_000_000)}1]}`;
    const reply = await client.next(`{"id":7,"method":"Browser.getVersion","params":${params}}`);
    expect(reply).toMatchObject({ id: 7, error: { code: -32_602 } });
    for (const each of [client, bystander]) expect(await each.result('Browser.getVersion')).toHaveProperty('product');
    client.close();
    bystander.close();
  });

  it('has the browser do a large command that is passed on unread', async () => {
    const client = await connectRaw(cdpUrl);
    const session = await client.page();
    const expression = `${JSON.stringify('x"é'.repeat(2_000_000))}.length`;
    const { result } = await client.result('Runtime.evaluate', { expression, returnByValue: true }, session);
    expect(result).toMatchObject({ value: 6_000_000 });
    client.close();
  });

  it('is closed at a message of more than 16 MiB', async () => {
    const bystander = await connectRaw(cdpUrl);
    const client = await connectRaw(cdpUrl);
    client.socket.send(Buffer.alloc(16 * mebibyte + 1, ' '));
    expect(await client.ended).toMatchObject({ code: 1009 });
    expect(await bystander.result('Browser.getVersion')).toHaveProperty('product');
    bystander.close();
  });

  it('is closed when too many of its commands are without an answer', async () => {
    const bystander = await connectRaw(cdpUrl);
    const client = await connectRaw(cdpUrl);
    const session = await client.page();
    const params = { expression: 'new Promise(() => {})', awaitPromise: true };
    const command = JSON.stringify({ id: 9, method: 'Runtime.evaluate', params, sessionId: session });
    for (let count = 0; count <= 1000; count += 1) client.socket.send(command);
    expect(await client.ended).toEqual({ code: 1013, reason: 'this client has too many unanswered commands' });
    expect(await bystander.result('Browser.getVersion')).toHaveProperty('product');
    bystander.close();
  });

  it('is closed when the clients of its browser together have too many unfinished bytes, the largest first', async () => {
    const [small, large] = [await connectRaw(cdpUrl), await connectRaw(cdpUrl)];
    small.socket.send(Buffer.alloc(10 * mebibyte, ' '), { fin: false });
    large.socket.send(Buffer.alloc(15 * mebibyte, ' '), { fin: false });
    expect(await large.ended).toMatchObject({ code: 1013 });
    expect(small.socket.readyState).toBe(small.socket.OPEN);
    small.socket.terminate();
  });

  it('is closed when another message is larger than what it may leave unread', async () => {
    const client = await connectRaw(cdpUrl);
    const session = await client.page();
    client.socket.pause();
    const params = { expression: '"x".repeat(20 * 1048576)', returnByValue: true };
    const unread = [1, 2].map(() => client.call('Runtime.evaluate', params, session).catch(String));
    const other = await connectRaw(cdpUrl);
    const evaluate = { expression: '1', returnByValue: true };
    await other.result('Runtime.evaluate', evaluate, await other.page());
    client.socket.resume();
    expect(await client.ended).toMatchObject({ code: 1013 });
    await Promise.all(unread);
    other.close();
  });
});

/**
 * Returns the stream on which the service reads a browser's debugging pipe. Node lists the browser as a child, because
 * the service runs in this process.
 */
function findPipe(pid: number | undefined): Readable {
  const handles = (Reflect.get(process, '_getActiveHandles') as () => object[]).call(process);
  const child = handles.find((handle) => handle instanceof ChildProcess && handle.pid === pid);
  const pipe = (child as ChildProcess).stdio[4];
  if (!(pipe instanceof Readable)) throw new TypeError('found no pipe');
  return pipe;
}

describe('a browser whose pipe breaks', () => {
  it('is ended, and the next connection gets a fresh one', async () => {
    const client = await connectRaw(cdpUrl);
    await client.result('Browser.getVersion');
    const [before] = await real.processes();
    // The browser itself works; without its pipe it would run for ever without control.
    findPipe(before?.pid).destroy(new Error('broken by the test'));
    expect(await client.ended).toMatchObject({ code: 1001, reason: expect.stringContaining('broken by the test') });
    const next = await connectRaw(cdpUrl);
    expect(await next.result('Browser.getVersion')).toHaveProperty('product');
    expect(await real.processes()).not.toEqual([before]);
    next.close();
  });
});

describe('the address of a browser', () => {
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const version = 'Sec-WebSocket-Version: 13';
  it.each([
    ['GET', '1.0', ['Host: x', key, version], 'HTTP/1.1'],
    ['GET', '1.1', [key, version], 'Host'],
    ['POST', '1.1', ['Host: x', key, version], 'GET'],
    ['GET', '1.1', ['Host: x', key, 'Sec-WebSocket-Version: 12'], 'Sec-WebSocket-Version: 13'],
    ['GET', '1.1', ['Host: x', key], 'Sec-WebSocket-Version: 13'],
    ['GET', '1.1', ['Host: x', 'Sec-WebSocket-Key: short', version], 'Sec-WebSocket-Key'],
    ['GET', '1.1', ['Host: x', version], 'Sec-WebSocket-Key'],
  ])(
    'answers %s with HTTP/%s and %j by what it lacks, and starts no browser for it',
    async (...[method, http, given, lacks]) => {
      const [running] = await real.processes();
      process.kill(-(running?.pid ?? Number.NaN), 'SIGKILL');
      await expect.poll(() => real.folders()).toEqual([]);
      const { pathname, hostname, port } = new URL(cdpUrl);
      const socket = connect(Number(port), hostname);
      const lines = [`${method} ${pathname} HTTP/${http}`, 'Connection: Upgrade', 'Upgrade: websocket', ...given];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toContain('HTTP/1.1 400 Bad Request');
      expect(answer).toContain(`{"detail":"Expected the opening handshake of a websocket: ${lacks}"}`);
      expect(real.folders()).toEqual([]);
    },
  );
});
