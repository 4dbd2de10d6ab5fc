import type { lookup } from 'node:dns';
import { type Server as PlainServer, type Socket, connect, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Server as ForwardProxy } from 'proxy-chain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { CdpFault, connectRaw, connectors } from '../cdp/index.ts';
import type { RunOptions } from '../../runner/settings.ts';
import type { Report } from '../../core/report.ts';
import { run } from '../../runner/run.ts';
import { type FakeService, fakeKey, startFakeService } from '../../testing/fake-service.ts';
import { fakeTarget } from '../../testing/fake-target.ts';
import { type SelfMadeCa, makeSelfMadeCa } from '../../testing/self-made-ca.ts';
import { openNetwork } from './open-network.ts';

/**
 * Host name that only the proxy can resolve. A request that reaches the server of this host has therefore passed
 * through the proxy.
 */
const host = 'svc-behind-a-proxy.invalid';
const self: SelfMadeCa = makeSelfMadeCa(host);
/** Resolves every host name to 127.0.0.1. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a lookup has overloads and a promise form that the proxy never uses
const toLoopback = ((_name: string, options: { all?: boolean }, answer: (...found: unknown[]) => void) =>
  options.all === true
    ? answer(null, [{ address: '127.0.0.1', family: 4 }])
    : answer(null, '127.0.0.1', 4)) as unknown as typeof lookup;
const asked: string[] = [];
const hosts: string[] = [];
const browser = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const proxy = new ForwardProxy({
  host: '127.0.0.1',
  port: 0,
  prepareRequestFunction: ({ hostname, username, password }) => {
    asked.push(hostname);
    return {
      requestAuthentication: username !== 'svc' || password !== 'p ss',
      dnsLookup: toLoopback,
    };
  },
});
const servers: PlainServer[] = [];
let service: FakeService;
let proxyUrl = '';
let [front, browserFront] = [0, 0];

function getPort(server: PlainServer | WebSocketServer): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return address.port;
}

/**
 * Starts a TLS server that has the self-made certificate and forwards bytes to a plain TCP port. Returns the port of
 * the TLS server.
 */
async function startFront(port: number): Promise<number> {
  const server = createTlsServer({ key: self.key, cert: self.cert }, (socket: Socket) => {
    const inner = connect(port, '127.0.0.1');
    for (const one of [socket, inner]) one.on('error', () => one.destroy());
    socket.pipe(inner).pipe(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return getPort(server);
}

function judge(url: string, network: NonNullable<RunOptions['network']>): Promise<Report> {
  const only = ['AUTH-02', 'V3-GET-02'];
  return run({ target: fakeTarget(url), apiKey: fakeKey, only, ratePerSecond: 0, network });
}

beforeAll(async () => {
  browser.on('connection', (socket, { headers }) => {
    hosts.push(headers.host ?? '');
    socket.on('message', (data: Buffer) => {
      const { id }: { id: number } = JSON.parse(data.toString());
      socket.send(JSON.stringify({ id, result: { product: 'test' } }));
    });
  });
  service = await startFakeService();
  await proxy.listen();
  proxyUrl = `http://svc:p%20ss@127.0.0.1:${proxy.port}`;
  front = await startFront(Number(new URL(service.url).port));
  browserFront = await startFront(getPort(browser));
});

afterAll(async () => {
  browser.close();
  for (const server of servers) server.close();
  await Promise.all([proxy.close(true), service.close()]);
});

describe('a target with a certificate of its own authority', () => {
  it('is judged with --ca, and never reached without', async () => {
    const report = await judge(`https://127.0.0.1:${front}`, { ca: self.ca });
    expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
    await expect(judge(`https://127.0.0.1:${front}`, {})).rejects.toThrow(/unable to verify|self-signed/);
    const other = makeSelfMadeCa(host).ca;
    await expect(judge(`https://127.0.0.1:${front}`, { ca: other })).rejects.toThrow(/gave no answer/);
  });

  it('is not reached under a name that its certificate does not have', async () => {
    await expect(judge(`https://localhost:${front}`, { ca: self.ca })).rejects.toThrow(/altnames/);
  });
});

describe('a target behind a proxy', () => {
  it('is judged through it, with and without TLS', async () => {
    const plain = await judge(`http://${host}:${new URL(service.url).port}`, { proxy: proxyUrl });
    const secure = await judge(`https://${host}:${front}`, { proxy: proxyUrl, ca: self.ca });
    for (const { requirements } of [plain, secure]) {
      expect(requirements.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
    }
    expect(new Set(asked)).toEqual(new Set([host]));
  });

  it('is unreachable when the proxy refuses', async () => {
    const wrong = `http://svc:wrong@127.0.0.1:${proxy.port}`;
    await expect(judge(`https://${host}:${front}`, { proxy: wrong, ca: self.ca })).rejects.toThrow(/gave no answer/);
  });
});

describe('an automation client', () => {
  const limits = { timeoutMs: 5_000, signal: new AbortController().signal };

  it.each([
    [
      'through the proxy and over TLS',
      () => `wss://${host}:${browserFront}/devtools/browser/1`,
      () => ({ ca: self.ca, proxy: proxyUrl }),
    ],
    ['through the proxy', () => `ws://${host}:${getPort(browser)}/devtools/browser/1`, () => ({ proxy: proxyUrl })],
    ['over TLS', () => `wss://127.0.0.1:${browserFront}/devtools/browser/1`, () => ({ ca: self.ca })],
  ])('goes %s, and the browser sees the real host', async (_name, address, options) => {
    const network = openNetwork(options());
    const client = await network.route({ ...connectors, raw: connectRaw }).raw(address(), limits);
    await client.ping();
    expect(hosts.at(-1)).toBe(new URL(address()).host);
    const gone = new Promise((resolve) => [...browser.clients][0]?.once('close', resolve));
    await client.release();
    expect(await gone).toBe(1000);
    await network.close();
  });

  it('ends in a fault when the host behind the proxy is unreachable, and leaves no connection open', async () => {
    const unreachable = createServer();
    await new Promise<void>((resolve) => unreachable.listen(0, '127.0.0.1', resolve));
    const port = getPort(unreachable);
    await new Promise((resolve) => unreachable.close(resolve));
    const network = openNetwork({ proxy: proxyUrl });
    const attempt = network.route(connectors).raw(`ws://${host}:${port}/`, limits);
    await expect(attempt).rejects.toThrow(CdpFault);
    await network.close();
  });

  it.each([
    ['proxy', (port: number) => ({ proxy: `http://127.0.0.1:${port}` }), 'ws'],
    ['host, before its TLS handshake', () => ({}), 'wss'],
  ] as const)('leaves no connection to a silent %s open', async (_what, options, scheme) => {
    const closed = Promise.withResolvers<void>();
    const silent = createServer((socket) => {
      socket.on('error', () => socket.destroy()).resume();
      socket.once('close', () => closed.resolve());
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const network = openNetwork(options(getPort(silent)));
    const { playwright } = network.route(connectors);
    const attempt = playwright(`${scheme}://127.0.0.1:${getPort(silent)}/`, { ...limits, timeoutMs: 500 });
    await expect(attempt).rejects.toThrow(CdpFault);
    await closed.promise;
    await network.close();
    await new Promise((resolve) => silent.close(resolve));
  });
});
