import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostLog } from '../host-log.ts';
import { type PageServer, servePages } from '../testing/serve-pages.ts';
import { type ForwardProxy, startHttpProxy } from '../testing/start-http-proxy.ts';
import { startSocksProxy } from '../testing/start-socks-proxy.ts';
import { untrustedCertificate } from '../testing/untrusted-certificate.ts';
import { parseAllowList, upstreamUrl } from './resolve-target.ts';
import type { CustomProxy } from './proxy-file.ts';
import { type EgressGate, openEgressGate } from './egress-gate.ts';

const account = { username: 'ann:a', password: 'p@ss/w%rd?#' };
// The user name of HTTP Basic authentication cannot contain a colon.
const httpAccount = { ...account, username: 'ann@a' };

let server: PageServer;
let log: HostLog;
/** Log messages with all their fields. */
let logged: string[];
let resolved: string[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  server = await servePages({ '/': 'a page' });
  logged = [];
  const keep = (fields: object, message: string): void =>
    void logged.push(`${message} ${inspect(fields, { depth: 9 })}`);
  log = { info: keep, warn: keep };
  resolved = [];
  closing.push(() => server.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function proxy(started: Promise<ForwardProxy>): Promise<ForwardProxy> {
  const running = await started;
  closing.push(() => running.close());
  return running;
}

async function gateThrough(
  { port }: ForwardProxy,
  change: Partial<CustomProxy> = {},
  allow = [`127.0.0.1:${port}`],
): Promise<EgressGate> {
  const upstream = {
    scheme: 'http',
    host: '127.0.0.1',
    port,
    ...httpAccount,
    ignoreCertErrors: false,
    ...change,
  } as const;
  // The gate must not resolve names of pages here. The rejection equals that of the system's resolver for an unknown
  // name.
  const resolve = (hostname: string): Promise<never> => {
    resolved.push(hostname);
    return Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
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
 * Opens a tunnel and sends an HTTPS request through it. Returns the status of CONNECT and the whole response, which is
 * empty without a tunnel.
 */
async function tunnel(gate: EgressGate, target: string): Promise<{ status: number; body: string }> {
  const outgoing = request({ host: '127.0.0.1', port: gate.port, method: 'CONNECT', path: target, agent: false }).end();
  const { promise, resolve } = Promise.withResolvers<{
    response: IncomingMessage;
    socket: IncomingMessage['socket'];
  }>();
  outgoing.once('connect', (first, second: IncomingMessage['socket']) => resolve({ response: first, socket: second }));
  const { response, socket } = await promise;
  if (response.statusCode !== 200) {
    socket.destroy();
    return { status: response.statusCode ?? 0, body: '' };
  }
  const secure = connectTls({ socket, rejectUnauthorized: false });
  secure.write('GET / HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n');
  return { status: 200, body: await text(secure) };
}

async function secureServer(): Promise<number> {
  const pages = createServer(untrustedCertificate, (_request, response) => response.end('a secure page')).listen(
    0,
    '127.0.0.1',
  );
  await once(pages, 'listening');
  closing.push(async () => {
    pages.closeAllConnections();
    pages.close();
    await once(pages, 'close');
  });
  // A server that listens on a port has an address of this form.
  return (pages.address() as AddressInfo).port;
}

describe.each([
  { scheme: 'http' as const, start: () => startHttpProxy(httpAccount), who: httpAccount },
  { scheme: 'https' as const, start: () => startHttpProxy(httpAccount, { tls: true }), who: httpAccount },
  { scheme: 'socks5' as const, start: () => startSocksProxy(account), who: account },
])('a custom proxy over $scheme', ({ scheme, start, who }) => {
  const trust = { scheme, ...who, ignoreCertErrors: scheme === 'https' };

  it('gets every request with its name as it is, plain or as a tunnel', async () => {
    const upstream = await proxy(start());
    const gate = await gateThrough(upstream, trust);
    const [port, secure] = [new URL(server.origin).port, await secureServer()];
    expect(await get(gate, `http://shop.example:${port}/`)).toEqual({ status: 200, body: 'a page' });
    expect((await tunnel(gate, `shop.example:${secure}`)).body).toContain('a secure page');
    expect(upstream.targets).toEqual([`shop.example:${port}`, `shop.example:${secure}`]);
    expect(upstream.refusals()).toBe(0);
    expect(resolved).toEqual([]);
  });

  it('that rejects the password lets nothing through', async () => {
    const upstream = await proxy(start());
    const gate = await gateThrough(upstream, { ...trust, password: 'wrong' });
    expect((await get(gate, 'http://shop.example/')).status).toBeGreaterThanOrEqual(500);
    expect((await tunnel(gate, 'shop.example:443')).status).toBeGreaterThanOrEqual(500);
    expect(upstream.targets).toEqual([]);
    expect(upstream.refusals()).toBe(2);
    for (const line of logged) expect(line).not.toMatch(/wrong|ann/);
  });

  it('is not asked for private addresses, metadata services and loopback', async () => {
    const upstream = await proxy(start());
    const gate = await gateThrough(upstream, trust);
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '[::1]',
      'metadata.google.internal',
      'localhost',
      'a.localhost',
    ]) {
      const answers = [await get(gate, `http://${host}/`), await tunnel(gate, `${host}:443`)];
      expect([host, ...answers.map(({ status }) => status)]).toEqual([host, 403, 403]);
    }
    expect(upstream.targets).toEqual([]);
  });

  it('has to have an address that may be reached itself', async () => {
    const upstream = await proxy(start());
    const gate = await gateThrough(upstream, trust, []);
    const { status, body } = await get(gate, 'http://shop.example/');
    expect([status, body]).toEqual([403, expect.stringContaining('of the custom proxy: 127.0.0.1 leads to 127.0.0.1')]);
    expect(upstream.targets).toEqual([]);
    const unknown = await gateThrough(upstream, { ...trust, host: 'nowhere.example' });
    expect((await get(unknown, 'http://shop.example/')).status).toBe(403);
    expect(resolved).toEqual(['nowhere.example']);
  });
});

it('uses a proxy with an untrusted certificate only when the client accepts it', async () => {
  const upstream = await proxy(startHttpProxy(httpAccount, { tls: true }));
  const gate = await gateThrough(upstream, { scheme: 'https' });
  expect((await get(gate, 'http://shop.example/')).status).toBeGreaterThanOrEqual(500);
  expect((await tunnel(gate, 'shop.example:443')).status).toBeGreaterThanOrEqual(500);
  expect(upstream.targets).toEqual([]);
});

describe('the address of a proxy', () => {
  const given = { scheme: 'socks5', host: 'p.example', port: 1080, ignoreCertErrors: false } as const;
  const addresses = [
    { address: '2001:4860::1', family: 6 },
    { address: '8.8.8.8', family: 4 },
  ];

  it('keeps its name where our resolver is asked, and is the judged address where it is not', () => {
    const who = { username: 'a', password: null };
    expect(upstreamUrl({ ...given, ...who }, addresses)).toBe('socks5h://a:@8.8.8.8:1080');
    expect(upstreamUrl({ ...given, ...who, scheme: 'https' }, addresses)).toBe('https://a:@p.example:1080');
    const nobody = { username: null, password: null };
    expect(upstreamUrl({ ...given, ...nobody, scheme: 'http', host: '::1' }, [])).toBe('http://[::1]:1080');
  });
});
