import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server as ForwardProxy } from 'proxy-chain';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { makeSelfMadeCa } from '#conformance/testing/self-made-ca.ts';
import { createRoute } from '#conformance/transport/network/route.ts';
import { type Tunnel, openTunnel } from '../src/cli/tunnel/open-tunnel.ts';
import type { TunnelFault } from '../src/cli/tunnel/tunnel-fault.ts';
import { isJsonObject } from '#lib/json.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { type StartedTunnel, startTunnel as begin } from './support/start-tunnel.ts';

const path = '/devtools/browser/token';
const answers: Readonly<Record<string, object>> = {
  'Browser.getVersion': { product: 'Chrome/1.2.3.4', protocolVersion: '1.3', revision: '@abc' },
  'Target.getTargets': {
    targetInfos: [
      { targetId: 'P', type: 'page', title: 'Shop', url: 'about:blank' },
      { targetId: 'W', type: 'worker', title: '', url: 'about:blank' },
    ],
  },
};

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
}

/** Returns an event of a page as JSON. `at` is the position of the event in a sequence. */
function event(at: number, text: string): string {
  return JSON.stringify({ method: 'Any.event', params: { at, text }, sessionId: 'S' });
}

function attached(targetId: unknown): object {
  return targetId === 'P' ? { result: { sessionId: 'S' } } : { error: { code: -32602, message: 'No target' } };
}

/**
 * A service with one browser. The browser replies to Target.attachToTarget and to the commands in `answers`; it replies
 * to any other command with the text of the command as `echo`.
 */
class FakeBrowser {
  readonly server: Server;
  readonly sockets: WebSocket[] = [];
  readonly heads: IncomingMessage[] = [];
  status = 101;
  readonly #ends = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 2 ** 30 });

  constructor(server: Server = createServer()) {
    this.server = server.on('upgrade', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.heads.push(asked);
      if (this.status !== 101) return socket.end(`HTTP/1.1 ${this.status} No\r\ncontent-length: 0\r\n\r\n`);
      return this.#ends.handleUpgrade(asked, socket, head, (end) => this.#serve(end));
    });
    server.on('request', (asked, response) => {
      const found = asked.url === '/json/version' ? 200 : 404;
      response.writeHead(found).end(JSON.stringify({ webSocketDebuggerUrl: this.address() }));
    });
  }

  address(host = '127.0.0.1', scheme = 'ws'): string {
    return `${scheme}://${host}:${this.port()}${path}`;
  }

  port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new TypeError('expected a port');
    return address.port;
  }

  async close(): Promise<void> {
    for (const socket of this.#ends.clients) socket.terminate();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  #serve(end: WebSocket): void {
    this.sockets.push(end);
    end.on('message', (data: Buffer) => {
      const { id, method, params, sessionId } = JSON.parse(data.toString()) as Command;
      if (method === 'Target.attachToTarget')
        return end.send(JSON.stringify({ id, ...attached(params?.['targetId']) }));
      return end.send(JSON.stringify({ id, result: answers[method] ?? { echo: data.toString() }, sessionId }));
    });
  }
}

let browser: FakeBrowser;
let tunnel: Tunnel | null = null;
let faults: TunnelFault[] = [];
const commands: StartedTunnel[] = [];

async function startTunnel(...args: Parameters<typeof begin>): Promise<StartedTunnel> {
  const command = await begin(...args);
  commands.push(command);
  return command;
}

async function open(away = browser.address(), route = createRoute({})): Promise<Tunnel> {
  tunnel = await openTunnel({ away: new URL(away), route, port: 0, onFault: (fault) => faults.push(fault) });
  return tunnel;
}

async function get(address: string, where: string, headers = {}): Promise<{ status: number; body: unknown }> {
  const asked = request(`http://${address}${where}`, { headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response) text += String(piece);
  return { status: response.statusCode ?? 0, body: JSON.parse(text) };
}

async function localAddress({ address }: Pick<Tunnel, 'address'>): Promise<string> {
  const { body } = await get(address, '/json/version');
  return (body as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl;
}

beforeEach(async () => {
  browser = new FakeBrowser();
  browser.server.listen(0, '127.0.0.1');
  await once(browser.server, 'listening');
  faults = [];
});
afterEach(async () => {
  for (const command of commands.splice(0)) await command.stop();
  await tunnel?.close();
  tunnel = null;
  if (browser.server.listening) await browser.close();
});

describe('a tunnel', () => {
  it('answers as the DevTools port of a Chromium does, with an address of its own', async () => {
    const { address } = await open();
    const version = await get(address, '/json/version');
    expect(version).toMatchObject({
      status: 200,
      body: { Browser: 'Chrome/1.2.3.4', 'Protocol-Version': '1.3', 'WebKit-Version': '537.36 (@abc)' },
    });
    expect(await localAddress({ address })).toMatch(new RegExp(`^ws://${address}/devtools/browser/[0-9a-f-]{36}$`));
    for (const where of ['/json/list', '/json', '/json/list/']) {
      expect((await get(address, where)).body).toEqual([
        {
          description: '',
          id: 'P',
          title: 'Shop',
          type: 'page',
          url: 'about:blank',
          webSocketDebuggerUrl: `ws://${address}/devtools/page/P`,
        },
      ]);
    }
    expect((await get(address, '/json/new')).status).toBe(404);
    expect((await get(address, path)).status).toBe(404);
  });

  it('passes what both sides send, and how they part', async () => {
    const address = await localAddress(await open());
    const client = await connectRaw(address);
    const [end] = browser.sockets.slice(-1);
    expect(browser.heads.at(-1)?.headers.host).toBe(`127.0.0.1:${browser.port()}`);
    const large = 'x'.repeat(20_000_000);
    const { echo } = await client.result('Any.method', { large });
    expect(JSON.parse(String(echo))).toMatchObject({ params: { large } });
    end?.close(1000, 'detached');
    expect(await client.ended).toEqual({ code: 1000, reason: 'detached' });
    const second = await connectRaw(address);
    const [other] = browser.sockets.slice(-1);
    const gone = once(other ?? second.socket, 'close');
    second.socket.close(1000, 'done');
    expect(String((await gone)[1])).toBe('done');
    expect(faults).toEqual([]);
  });

  it('is of no use to web pages', async () => {
    const { address } = await open();
    const port = address.split(':')[1];
    expect((await get(address, '/json/version', { host: 'evil.example' })).status).toBe(403);
    expect((await get(address, '/json/version', { host: `evil.example:${port}` })).status).toBe(403);
    expect((await get(address, '/json/version', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await get(address, '/json/version', { host: `localhost:${port}` })).status).toBe(200);
    const where = await localAddress({ address });
    const handshake = (headers: Record<string, string>): Promise<number> => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const asked = request(where.replace('ws:', 'http:'), {
        headers: { ...upgrade, 'sec-websocket-key': Buffer.alloc(16).toString('base64'), ...headers },
      }).end();
      return new Promise((resolve, reject) => {
        asked.once('error', reject);
        asked.once('response', (response) => resolve(response.resume().statusCode ?? 0));
        asked.once('upgrade', (_response, socket: Socket) => {
          socket.destroy();
          resolve(101);
        });
      });
    };
    const before = browser.heads.length;
    expect(await handshake({ origin: 'https://evil.example' })).toBe(403);
    expect(await handshake({ host: 'evil.example' })).toBe(403);
    expect(browser.heads).toHaveLength(before);
    // chromedriver sends a Host header without the port.
    expect(await handshake({ host: '127.0.0.1' })).toBe(101);
    await expect(connectRaw(where.replace(/.{8}$/, '00000000'))).rejects.toThrow('404');
  });

  it('reports that its browser was stopped, also without a request', async () => {
    const { address, over } = await open();
    const client = await connectRaw(await localAddress({ address }));
    browser.status = 404;
    browser.sockets.at(-1)?.close(1001, 'browser stopped');
    expect(await client.ended).toEqual({ code: 1001, reason: 'browser stopped' });
    expect((await over).message).toContain('has no browser at this address (404)');
    expect((await over).message).not.toContain('token');
  });

  it('hands a refusal to its client, and goes on', async () => {
    const { address } = await open();
    const where = await localAddress({ address });
    browser.status = 503;
    await expect(connectRaw(where)).rejects.toThrow('503');
    expect(await get(address, '/json/version')).toMatchObject({
      status: 502,
      body: { error: expect.stringContaining('503') },
    });
    expect(faults.map(({ isFinal }) => isFinal)).toEqual([false, false]);
    browser.status = 101;
    (await connectRaw(where)).close();
  });

  it('ends with everything that goes through it', async () => {
    const opened = await open();
    const client = await connectRaw(await localAddress(opened));
    const end = browser.sockets.at(-1);
    const gone = once(end ?? client.socket, 'close');
    await opened.close();
    tunnel = null;
    await gone;
    expect((await client.ended).code).toBe(1006);
    expect(faults).toEqual([]);
    const socket = connect(Number(opened.address.split(':')[1]), '127.0.0.1');
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the address of a page', () => {
  it('names the commands and events of the protocol', async () => {
    const { address } = await open();
    const { status, body } = await get(address, '/json/protocol');
    const { domains } = body as { domains: { domain: string; commands: object[]; events: object[] }[] };
    expect(status).toBe(200);
    const page = domains.find(({ domain }) => domain === 'Page');
    expect(page?.commands).toContainEqual({ name: 'navigate' });
    expect(page?.events).toContainEqual({ name: 'loadEventFired' });
  });

  it('is a session of the page whose id the client does not see', async () => {
    const { address } = await open();
    const client = await connectRaw(`ws://${address}/devtools/page/P`);
    const [end] = browser.sockets.slice(-1);
    const reply = await client.call('Page.enable', { deep: { large: 'x'.repeat(5_000_000) } });
    expect(reply).not.toHaveProperty('sessionId');
    expect(JSON.parse((reply['result'] as { echo: string }).echo)).toMatchObject({
      method: 'Page.enable',
      sessionId: 'S',
    });
    // Uses a session that the client has not attached itself, as with Target.setAutoAttach.
    const child = await client.call('Page.enable', {}, 'C');
    expect(child['sessionId']).toBe('C');
    end?.send(JSON.stringify({ method: 'Target.targetCreated', params: {} }));
    end?.send(JSON.stringify({ method: 'Page.frameNavigated', params: {}, sessionId: 'S' }));
    expect(await client.event('Page.frameNavigated')).toEqual({ method: 'Page.frameNavigated', params: {} });
    expect(client.received.filter(({ method }) => method === 'Target.targetCreated')).toEqual([]);
    client.close();
    await once(end ?? client.socket, 'close');
    expect(faults).toEqual([]);
  });

  it('brings a client that reads slowly everything in order', async () => {
    const { address } = await open();
    const client = await connectRaw(`ws://${address}/devtools/page/P`);
    const [end] = browser.sockets.slice(-1);
    client.socket.pause();
    const text = 'x'.repeat(2_000_000);
    const first = new Promise((resolve) => end?.send(event(0, text), resolve));
    for (let at = 1; at < 12; at += 1) end?.send(event(at, text));
    end?.send(JSON.stringify({ method: 'Last.event', params: {}, sessionId: 'S' }));
    await first;
    client.socket.resume();
    await client.event('Last.event');
    const order = client.received.flatMap(({ params }) => (isJsonObject(params) ? (params['at'] ?? []) : []));
    expect(order).toEqual(Array.from({ length: 12 }, (_, at) => at));
  });

  it('ends with its page, and as the service ends it', async () => {
    const { address } = await open();
    const first = await connectRaw(`ws://${address}/devtools/page/P`);
    browser.sockets.at(-1)?.send(JSON.stringify({ method: 'Target.detachedFromTarget', params: { sessionId: 'S' } }));
    expect(await first.event('Inspector.detached')).toMatchObject({ params: { reason: 'target_closed' } });
    expect(await first.ended).toEqual({ code: 1000, reason: 'target closed' });
    const second = await connectRaw(`ws://${address}/devtools/page/P`);
    browser.sockets.at(-1)?.close(1001, 'browser stopped');
    expect(await second.ended).toEqual({ code: 1001, reason: 'browser stopped' });
  });

  it('refuses pages that the browser does not have, web pages, and a service that refuses', async () => {
    const { address } = await open();
    await expect(connectRaw(`ws://${address}/devtools/page/Q`)).rejects.toThrow('404');
    await expect(connectRaw(`ws://${address}/devtools/page/P/`)).rejects.toThrow('404');
    const handshake = { host: 'evil.example', connection: 'Upgrade', upgrade: 'websocket' };
    const asked = request(`http://${address}/devtools/page/P`, { headers: handshake }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(403);
    expect(faults).toEqual([]);
    browser.status = 503;
    await expect(connectRaw(`ws://${address}/devtools/page/P`)).rejects.toThrow('502');
    expect(faults).toHaveLength(1);
  });
});

describe('a tunnel to another network', () => {
  it('goes through a proxy and trusts an authority of its own', async () => {
    const host = 'svc-far-away.invalid';
    const self = makeSelfMadeCa(host);
    const far = new FakeBrowser(createTlsServer({ key: self.key, cert: self.cert }));
    far.server.listen(0, '127.0.0.1');
    await once(far.server, 'listening');
    const asked: string[] = [];
    const proxy = new ForwardProxy({
      host: '127.0.0.1',
      port: 0,
      prepareRequestFunction: ({ hostname }) => {
        asked.push(hostname);
        return { customConnectServer: null, upstreamProxyUrl: null };
      },
    });
    await proxy.listen();
    try {
      await expect(
        open(far.address('127.0.0.1', 'wss'), createRoute({ proxy: `http://127.0.0.1:${proxy.port}` })),
      ).rejects.toThrow(/no connection to 127\.0\.0\.1:\d+ \((DEPTH|SELF|UNABLE|ERR_TLS)/);
      expect(asked).toEqual(['127.0.0.1']);
    } finally {
      await proxy.close(true);
      await far.close();
    }
  });
});

describe('svc tunnel', () => {
  it('prints the address for chromedriver and ends on a signal', async () => {
    const command = await startTunnel(browser.address());
    const client = await connectRaw(await localAddress(command));
    expect(await client.result('Browser.getVersion')).toMatchObject({ product: 'Chrome/1.2.3.4' });
    await command.stop();
    expect(await command.exited).toBe(0);
    expect(command.complaints()).toBe('');
  });

  it('takes an address that has to be asked for its websocket', async () => {
    const command = await startTunnel(`http://127.0.0.1:${browser.port()}`);
    (await connectRaw(await localAddress(command))).close();
    await command.stop();
  });

  it('ends when its browser was stopped', async () => {
    const command = await startTunnel(browser.address());
    const client = await connectRaw(await localAddress(command));
    browser.status = 404;
    browser.sockets.at(-1)?.close(1001, 'browser stopped');
    await client.ended;
    expect(await command.exited).toBe(3);
    expect(command.complaints()).toContain('has no browser at this address (404)');
  });

  it('says what is wrong with an address', async () => {
    await expect(startTunnel('127.0.0.1:9222')).rejects.toThrow('exit code 2: svc tunnel: found a malformed address.');
    await expect(startTunnel(`http://127.0.0.1:${browser.port()}/else`)).rejects.toThrow(/exit code 3: .*\(404\)/);
    browser.status = 404;
    await expect(startTunnel(browser.address())).rejects.toThrow(
      /exit code 3: .*has no browser at this address \(404\)/,
    );
  });

  it('reports that its port is taken, and that no service answers', async () => {
    await expect(startTunnel(browser.address(), '--port', String(browser.port()))).rejects.toThrow(
      /exit code 2: .*EADDRINUSE/,
    );
    const address = browser.address();
    await browser.close();
    await expect(startTunnel(address)).rejects.toThrow(
      /exit code 3: svc tunnel: found no connection to 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
    );
  });

  it('needs an authority that it trusts, given as a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-tunnel-'));
    const host = 'localhost';
    const self = makeSelfMadeCa(host);
    writeFileSync(join(folder, 'ca.pem'), self.ca);
    const far = new FakeBrowser(createTlsServer({ key: self.key, cert: self.cert }));
    far.server.listen(0, 'localhost');
    await once(far.server, 'listening');
    try {
      const address = far.address(host, 'wss');
      await expect(startTunnel(address)).rejects.toThrow('exit code 3: svc tunnel: found no connection');
      const command = await startTunnel(address, '--ca', join(folder, 'ca.pem'));
      const client = await connectRaw(await localAddress(command));
      expect(await client.result('Browser.getVersion')).toMatchObject({ product: 'Chrome/1.2.3.4' });
      await command.stop();
    } finally {
      await far.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
