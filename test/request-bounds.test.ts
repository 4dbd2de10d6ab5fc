import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { openSocket, readAnswer, sendRaw } from './support/raw-http.ts';
import { type BackendChanges, type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
afterEach(() => started.stop());

/** Returns the default rules with other values for some limits. */
function limited(values: Readonly<Record<string, number>>): RuleBook {
  const limits = defaultRules.limits.limits.map((row) => ({ ...row, value: values[row.limit] ?? row.value }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row without a value gets none
  return { ...defaultRules, limits: { ...defaultRules.limits, limits } } as RuleBook;
}

async function start(changes: BackendChanges = {}): Promise<string> {
  started = await startBackend(changes);
  return started.address;
}

const key = `X-Service-API-Key: ${testKey}`;
const lines = (...text: string[]): string => `${text.join('\r\n')}\r\n\r\n`;
const run = (body: string): string =>
  lines(
    'POST /api/v4/runs HTTP/1.1',
    'Host: x',
    key,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ) + body;

const detail = (body: string): unknown => {
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null && 'detail' in parsed ? parsed.detail : undefined;
};

describe('bytes that are no request that is taken', () => {
  it.each([
    { name: 'no HTTP at all', bytes: lines('hello'), status: 400, says: 'HTTP/1.1' },
    { name: 'the beginning of TLS', bytes: Buffer.from('16030100ff0100', 'hex'), status: 400, says: 'HTTP/1.1' },
    {
      name: 'a header without a name',
      bytes: lines('GET /readyz HTTP/1.1', 'Host: x', ': y'),
      status: 400,
      says: 'HTTP/1.1',
    },
    {
      name: 'a line feed for a new line in a value',
      bytes: lines('GET /readyz HTTP/1.1', 'Host: x', 'A: b\nC: d'),
      status: 400,
      says: 'HTTP/1.1',
    },
    {
      name: 'a NUL in a value',
      bytes: lines('GET /readyz HTTP/1.1', 'Host: x', 'A: \0'),
      status: 400,
      says: 'HTTP/1.1',
    },
    {
      name: 'two lengths',
      bytes: `${lines('POST /api/v4/runs HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2')}{}`,
      status: 400,
      says: 'HTTP/1.1',
    },
    {
      name: 'a length and chunks',
      bytes: `${lines('POST /api/v4/runs HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      status: 400,
      says: 'HTTP/1.1',
    },
    {
      name: 'headers of 17 KB',
      bytes: lines('GET /readyz HTTP/1.1', 'Host: x', `A: ${'a'.repeat(17_000)}`),
      status: 431,
      says: '16384 bytes',
    },
    {
      name: 'a path of 17 KB',
      bytes: lines(`GET /${'a'.repeat(17_000)} HTTP/1.1`, 'Host: x'),
      status: 431,
      says: '16384 bytes',
    },
  ])('$name is answered with $status', async ({ bytes, status, says }) => {
    const answer = await sendRaw(await start(), bytes);
    expect(answer).toMatchObject({ status });
    expect(detail(answer?.body ?? '')).toContain(says);
  });

  it.each([
    { name: 'a body over a megabyte', body: `{"task":"${'a'.repeat(1_048_577)}"}`, status: 413, type: undefined },
    {
      name: 'a hundred and one levels',
      body: `${'['.repeat(101)}${']'.repeat(101)}`,
      status: 422,
      type: 'json_too_complex',
    },
    {
      name: 'a quarter of a million levels',
      body: `${'['.repeat(250_000)}${']'.repeat(250_000)}`,
      status: 422,
      type: 'json_too_complex',
    },
    {
      name: 'a deep member',
      body: `{"task":"x","metadata":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
      status: 422,
      type: 'json_too_complex',
    },
    {
      name: 'more than twenty thousand values',
      body: `{"task":"x","metadata":[${'1,'.repeat(20_000)}1]}`,
      status: 422,
      type: 'json_too_complex',
    },
    { name: 'a hundred levels', body: `${'['.repeat(100)}${']'.repeat(100)}`, status: 422, type: 'type_error' },
    { name: 'a member named like the prototype', body: '{"__proto__":{"task":"x"}}', status: 422, type: 'missing' },
  ])('$name is answered with $status', async ({ body, status, type }) => {
    const answer = await sendRaw(await start(), run(body));
    expect(answer).toMatchObject({ status });
    if (type !== undefined) expect(detail(answer?.body ?? '')).toContainEqual(expect.objectContaining({ type }));
  });
});

describe('requests that come slowly', () => {
  const rules = limited({ requestHeadersTime: 200, requestTime: 400 });

  it.each([
    { name: 'nothing but half a line', bytes: 'GET /read' },
    { name: 'headers that do not end', bytes: 'GET /readyz HTTP/1.1\r\nHost: x\r\nA: b\r\n' },
    { name: 'a body that does not end', bytes: run('{"task":"x"}').slice(0, -1) },
  ])('$name: the connection is told 408 and ended', async ({ bytes }) => {
    const answer = await sendRaw(await start({ rules }), bytes);
    expect(answer).toMatchObject({ status: 408 });
    expect(detail(answer?.body ?? '')).toContain('within 0.2 s');
    expect((await fetch(`${started.address}/healthz`)).status).toBe(200);
  });

  it('a body that trickles gains no time', async () => {
    const socket = await openSocket(await start({ rules }));
    socket.write(run(`{"task":"${'x'.repeat(100_000)}"}`).slice(0, 300));
    const timer = setInterval(() => socket.write('x'), 20);
    const answer = await readAnswer(socket);
    clearInterval(timer);
    expect(answer).toMatchObject({ status: 408 });
  });

  it('an idle connection is ended', async () => {
    const socket = await openSocket(await start({ rules: limited({ idleConnection: 100 }) }));
    socket.write(lines('GET /healthz HTTP/1.1', 'Host: x'));
    expect(await readAnswer(socket)).toMatchObject({ status: 200 });
  });
});

describe('connections of one address', () => {
  it('past the limit are told 429, past twice the limit they are cut off, and ended ones make room', async () => {
    const address = await start({ connectionsPerAddress: 2 });
    const ask = lines('GET /healthz HTTP/1.1', 'Host: x');
    const held = [await openSocket(address), await openSocket(address)];
    const third = await openSocket(address);
    third.write(ask);
    const told = await readAnswer(third);
    expect(told).toMatchObject({ status: 429 });
    expect(detail(told?.body ?? '')).toContain('2 connections are open');
    const more = [await openSocket(address), await openSocket(address)];
    const fifth = await openSocket(address);
    fifth.write(ask);
    expect(await readAnswer(fifth)).toBeNull();
    for (const socket of [...held, ...more]) {
      socket.resume();
      socket.end();
      await once(socket, 'close');
    }
    expect(await sendRaw(address, lines('GET /healthz HTTP/1.1', 'Host: x', 'Connection: close'))).toMatchObject({
      status: 200,
    });
  });
});
