import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManagedProxy } from './managed-proxy.ts';
import type { HostLog } from '../host-log.ts';
import { type PageServer, servePages } from '../testing/serve-pages.ts';
import type { ForwardProxy } from '../testing/start-http-proxy.ts';
import { startLeadingProxy } from '../testing/start-leading-proxy.ts';
import { startSocksProxy } from '../testing/start-socks-proxy.ts';
import { parseAllowList } from './resolve-target.ts';
import { type EgressGate, openEgressGate } from './egress-gate.ts';

const account = { username: 'ann', password: 'p@ss/w%rd?#' };
const names: Readonly<Record<string, readonly string[]>> = {
  'shop.example': ['93.184.215.14'],
  'six.example': ['2606:4700::1111'],
  'inside.example': ['10.0.0.7'],
  'both.example': ['93.184.215.14', '127.0.0.1'],
};

let server: PageServer;
let port: string;
let proxy: ForwardProxy;
let logged: string[];
let lookups: string[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  server = await servePages({ '/': 'a page of many bytes' });
  port = new URL(server.origin).port;
  [logged, lookups] = [[], []];
  closing.push(() => server.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function started(running: Promise<ForwardProxy>): Promise<ForwardProxy> {
  proxy = await running;
  closing.push(() => proxy.close());
  return proxy;
}

/**
 * Opens a gate with a managed proxy on loopback. The proxy needs no entry in `allow`, because the operator has
 * configured its address.
 */
async function gateThrough(change: Partial<ManagedProxy>, allow: string[] = []): Promise<EgressGate> {
  const keep = (fields: object, message: string): void =>
    void logged.push(`${message} ${inspect(fields, { depth: 9 })}`);
  const log: HostLog = { info: keep, warn: keep };
  const place = { scheme: 'http', host: '127.0.0.1', port: proxy.port, ...account } as const;
  const upstream = { ...place, ignoreCertErrors: false, country: 'de', names: 'here', ...change } as const;
  const resolve = async (hostname: string): Promise<{ address: string; family: number }[]> => {
    lookups.push(hostname);
    return (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const gate = await openEgressGate({ allowed: parseAllowList(allow), log, upstream, resolve });
  closing.push(() => gate.close());
  return gate;
}

async function get(gate: EgressGate, url: string): Promise<{ status: number; body: string }> {
  const head = { host: new URL(url).host };
  const outgoing = request({ host: '127.0.0.1', port: gate.port, path: url, headers: head, agent: false }).end();
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  return response === undefined
    ? { status: 0, body: '' }
    : { status: response.statusCode ?? 0, body: await text(response) };
}

/**
 * Opens a tunnel and sends an HTTP request through it. Returns the status of CONNECT and the whole response, which is
 * empty without a tunnel.
 */
async function tunnel(gate: EgressGate, target: string): Promise<{ status: number; body: string }> {
  const outgoing = request({ host: '127.0.0.1', port: gate.port, method: 'CONNECT', path: target, agent: false }).end();
  const { promise, resolve } = Promise.withResolvers<[IncomingMessage, IncomingMessage['socket']]>();
  outgoing.once('connect', (response, socket: IncomingMessage['socket']) => resolve([response, socket]));
  const [{ statusCode = 0 }, socket] = await promise;
  if (statusCode !== 200) socket.destroy();
  else socket.write(`GET / HTTP/1.1\r\nhost: ${target}\r\nconnection: close\r\n\r\n`);
  return { status: statusCode, body: statusCode === 200 ? await text(socket) : '' };
}

describe.each([
  { scheme: 'http' as const, start: () => startLeadingProxy({ account }) },
  { scheme: 'socks5' as const, start: () => startSocksProxy(account) },
])('a proxy of the operator over $scheme', ({ scheme, start }) => {
  it('is asked for the address that was judged, and the server still hears its name', async () => {
    await started(start());
    const gate = await gateThrough({ scheme });
    expect(await get(gate, `http://shop.example:${port}/`)).toEqual({ status: 200, body: 'a page of many bytes' });
    expect((await tunnel(gate, `shop.example:${port}`)).body).toContain('a page of many bytes');
    expect(proxy.targets).toEqual([`93.184.215.14:${port}`, `93.184.215.14:${port}`]);
    expect(server.hosts()).toEqual([`shop.example:${port}`, `shop.example:${port}`]);
    expect(lookups.filter((name) => name === 'shop.example')).toHaveLength(2);
    expect(gate.trafficBytes()).toBeGreaterThan(2 * 'a page of many bytes'.length);
  });

  it('is asked for the name where it looks names up itself, also for one that only it knows', async () => {
    await started(start());
    const gate = await gateThrough({ scheme, names: 'there' });
    for (const name of ['shop.example', 'theirs.example']) {
      expect((await get(gate, `http://${name}:${port}/`)).status).toBe(200);
      expect((await tunnel(gate, `${name}:${port}`)).status).toBe(200);
    }
    const [one, two] = [`shop.example:${port}`, `theirs.example:${port}`];
    expect(proxy.targets).toEqual([one, one, two, two]);
  });

  it.each(['here', 'there'] as const)('is not asked for what lies inside, with names looked up %s', async (where) => {
    await started(start());
    const gate = await gateThrough({ scheme, names: where });
    const hosts = [
      'inside.example',
      'both.example',
      '10.1.2.3',
      '[::1]',
      'localhost',
      'a.localhost',
      'metadata.google.internal',
    ];
    for (const host of hosts) {
      const statuses = [(await get(gate, `http://${host}/`)).status, (await tunnel(gate, `${host}:443`)).status];
      expect([host, ...statuses]).toEqual([host, 403, 403]);
    }
    expect(proxy.targets).toEqual([]);
    expect(gate.trafficBytes()).toBe(0);
  });

  it('gets there where the operator allows an address', async () => {
    await started(start());
    const gate = await gateThrough({ scheme }, ['10.0.0.0/8']);
    expect((await get(gate, `http://inside.example:${port}/`)).status).toBe(200);
    expect(proxy.targets).toEqual([`10.0.0.7:${port}`]);
  });

  it('that refuses us is told to the operator once, without its secrets', async () => {
    await started(start());
    const gate = await gateThrough({ scheme, password: 'wrong' });
    for (const _ of [1, 2]) {
      expect((await get(gate, `http://shop.example:${port}/`)).status).toBeGreaterThanOrEqual(500);
      expect((await tunnel(gate, `shop.example:${port}`)).status).toBeGreaterThanOrEqual(500);
    }
    expect(proxy.targets).toEqual([]);
    for (const line of logged) expect(line).not.toMatch(/wrong|ann/);
    // SOCKS has no HTTP status codes, and the library does not report the reply of a SOCKS proxy.
    if (scheme === 'http')
      expect(logged).toEqual([
        expect.stringContaining("the proxy of a country opens no tunnel { country: 'de', status: 407 }"),
      ]);
  });
});

it('an address of version 6 is asked for as one', async () => {
  await started(startLeadingProxy({ account }));
  const gate = await gateThrough({});
  expect((await get(gate, `http://six.example:${port}/`)).status).toBe(200);
  expect((await tunnel(gate, `six.example:${port}`)).status).toBe(200);
  expect(proxy.targets).toEqual([`[2606:4700::1111]:${port}`, `[2606:4700::1111]:${port}`]);
});

it('a proxy whose name leads nowhere is told apart from a page whose name does', async () => {
  await started(startLeadingProxy({ account }));
  const gate = await gateThrough({ host: 'lost.example' });
  expect(await get(gate, `http://shop.example:${port}/`)).toMatchObject({
    status: 403,
    body: expect.stringContaining('the proxy of de is unknown'),
  });
});

it('closes while the proxy has not answered', async () => {
  const asked = Promise.withResolvers<void>();
  await started(startLeadingProxy({ account, choosePort: () => (asked.resolve(), 9) }));
  const gate = await gateThrough({});
  const waiting = get(gate, `http://shop.example:${port}/`).catch(() => 'cut');
  await asked.promise;
  await gate.close();
  expect(['cut', 502, 599, 595]).toContain(
    await waiting.then((answer) => (typeof answer === 'string' ? answer : answer.status)),
  );
});
