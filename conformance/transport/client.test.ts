import { type IncomingMessage, type Server, createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRunContext } from '../runner/run-context.ts';
import { settle } from '../runner/options.ts';
import type { RunOptions } from '../runner/settings.ts';
import type { Send } from '../core/request.ts';
import type { Exchange } from '../core/exchange.ts';
import { curlLine } from '../core/script-lines.ts';
import { NotRun, OwnRequestError } from '../core/outcome.ts';
import { defaultTarget } from '../core/default-target.ts';

const apiKey = 'svc_key_of_the_test';
const token = 'gateway-token-1';
const seen: IncomingMessage['headers'][] = [];
const servers: Server[] = [];

/** Returns the JSON of a text in which escape sequences replace all characters. */
function escapedJson(text: string): string {
  return `"${Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
}

/** Bodies of the echo server by path. */
const bodies: Readonly<Record<string, string>> = {
  '/escaped': `{"key":${escapedJson(apiKey)},"other":"a\\/b"}`,
  '/placeholder': '{"at":"wss://elsewhere.example/?key=$SERVICE_API_KEY"}',
  '/escaped-placeholder': `{"at":${escapedJson('$SERVICE_API_KEY')}}`,
  '/other-placeholder': '{"at":"https://elsewhere.example/?key=$SVC_OTHER_API_KEY"}',
  '/numbers': '{"count":1234567,"token":"1234567","n1234567":1.0}',
  '/slashes': '{"at":"a\\/b"}',
};
let own = '';
let foreign = '';

// Starts a server that sends the key and the token back in a header and in the body of every response.
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const status = { '/redirect': 302, '/busy': 504 }[request.url ?? ''] ?? 200;
    response.writeHead(status, {
      'x-echo': `${apiKey} ${token}`,
      ...(status === 302 ? { location: `${foreign}/shot` } : {}),
      ...(status === 504 ? { 'retry-after': '30' } : {}),
    });
    response.end(bodies[request.url ?? ''] ?? JSON.stringify({ key: apiKey, token }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return `http://127.0.0.1:${address.port}`;
}

function sender(change: Partial<RunOptions> = {}, signal = new AbortController().signal): Send {
  const target = { ...defaultTarget, url: own };
  const headers = { 'X-Gateway': `Bearer ${token}`, 'X-Lane': '1' };
  const settings = settle({ target, apiKey, headers, ...change });
  return createRunContext({ settings, signal }).contextFor('test').send;
}

function get(path: string): Promise<Exchange> {
  return sender()({ generation: 'other', operation: 'look', method: 'GET', path });
}

beforeAll(async () => {
  own = await startEcho();
  foreign = await startEcho();
});

afterAll(() => {
  for (const server of servers) server.close();
});

describe('the client', () => {
  it('gives another host neither the key nor the headers of the command line', async () => {
    await get(`${foreign}/shot`);
    expect(seen.at(-1)).not.toHaveProperty('x-service-api-key');
    expect(seen.at(-1)).not.toHaveProperty('x-gateway');
  });

  it('gives them to the target', async () => {
    await get(`${own}/shot`);
    expect(seen.at(-1)).toMatchObject({ 'x-service-api-key': apiKey, 'x-gateway': `Bearer ${token}`, 'x-lane': '1' });
  });

  it('gives the key to another host that the target file names for a generation, and to no address of an answer there', async () => {
    const v3 = defaultTarget.v3 === null ? null : { ...defaultTarget.v3, base: `${foreign}/v3` };
    const send = sender({ target: { ...defaultTarget, url: own, v3 } });
    const list = { operation: 'list', method: 'GET', path: '/sessions' };
    const before = seen.length;
    expect((await send({ ...list, generation: 'v3' })).request.url).toBe(`${foreign}/v3/sessions`);
    await send({ generation: 'other', operation: 'look', method: 'GET', path: `${foreign}/v3/shot` });
    expect(seen.slice(before).map((headers) => headers['x-service-api-key'])).toEqual([apiKey, undefined]);
  });

  it('follows no redirect, which could lead the key to another host', async () => {
    const before = seen.length;
    expect((await get(`${own}/redirect`)).status).toBe(302);
    expect(seen.length).toBe(before + 1);
  });

  it('keeps the answer to a creation if the run ends while the target asks to wait', async () => {
    const run = new AbortController();
    const spec = { generation: 'other', operation: 'make', method: 'POST', path: `${own}/busy` } as const;
    const sentBefore = seen.length;
    const answer = sender({}, run.signal)({ ...spec, creates: true });
    await vi.waitUntil(() => seen.length > sentBefore);
    // The client has the answer soon after the server has seen the request.
    setTimeout(() => run.abort(new NotRun('the run has ended')), 300);
    expect(await answer).toMatchObject({ status: 504 });
  });

  it('sends nothing but GET in a run that only reads', async () => {
    const send = sender({ readOnly: true });
    const before = seen.length;
    const body = { task: 'test' };
    const sent = send({ generation: 'v3', operation: 'createSession', method: 'POST', path: '/sessions', body });
    await expect(sent).rejects.toThrow(OwnRequestError);
    expect(seen.length).toBe(before);
    await send({ generation: 'v3', operation: 'list', method: 'GET', path: '/sessions' });
    expect(seen.length).toBe(before + 1);
  });

  it('keeps no secret of a request or of its answer', async () => {
    const exchange = await get(`${own}/shot?token=${token}`);
    const kept = JSON.stringify(exchange) + curlLine(exchange);
    expect(kept).not.toContain(apiKey);
    expect(kept).not.toContain(token);
    expect(exchange.request.headers['X-Lane']).toBe('<value of X-Lane>');
    expect(exchange.json).toEqual({ key: '$SERVICE_API_KEY', token: '<value of X-Gateway>' });
  });

  it('keeps no secret that an answer writes with escape sequences', async () => {
    const exchange = await get(`${own}/escaped`);
    expect(JSON.stringify(exchange)).not.toContain(apiKey);
    expect(exchange).toMatchObject({
      body: '{"key":"$SERVICE_API_KEY","other":"a/b"}',
      json: { key: '$SERVICE_API_KEY', other: 'a/b' },
    });
    expect((await get(`${own}/slashes`)).body).toBe('{"at":"a\\/b"}');
  });

  it('keeps a number in which the digits of a header value occur', async () => {
    const send = sender({ headers: { 'X-Tenant': '123456' } });
    const { json } = await send({ generation: 'other', operation: 'look', method: 'GET', path: `${own}/numbers` });
    expect(json).toEqual({ count: 1_234_567, token: '<value of X-Tenant>7', 'n<value of X-Tenant>7': 1 });
  });

  it.each([
    ['/placeholder', 'SERVICE_API_KEY'],
    ['/escaped-placeholder', 'SERVICE_API_KEY'],
    ['/other-placeholder', 'SVC_OTHER_API_KEY'],
  ])('does not take the placeholder of a key from an answer: %s', async (path, name) => {
    const { body, json } = await get(`${foreign}${path}`);
    expect(JSON.stringify({ body, json })).not.toContain(`$${name}`);
    expect(body).toContain(`<the text ${name}>`);
  });

  it.each(['169.254.169.254', '2852039166', '[::ffff:169.254.169.254]', '[fe80::1]', '[fd00:ec2::254]'])(
    'sends no request to %s, where a cloud may serve credentials',
    async (host) => {
      const { status, fault } = await get(`http://${host}/latest/meta-data`);
      expect([status, fault]).toEqual([0, expect.stringContaining('link-local address')]);
    },
  );

  it('keeps no secret of a fault', async () => {
    const exchange = await get(`http://${token}.invalid/`);
    expect(exchange.status).toBe(0);
    expect(JSON.stringify(exchange)).not.toContain(token);
  });
});
