import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject, parseJson } from '../../core/json.ts';

const page = { targetId: 'T1', type: 'page', title: '', url: 'about:blank', attached: true, browserContextId: 'C1' };

/** Events that the browser sends on `Target.setAutoAttach`, by the path of its URL. */
const events: Readonly<Record<string, readonly string[]>> = {
  '/one-target-twice': ['S1', 'S2'].map((sessionId) =>
    JSON.stringify({
      method: 'Target.attachedToTarget',
      params: { sessionId, targetInfo: page, waitingForDebugger: false },
    }),
  ),
  '/no-json': ['{ no JSON'],
};

let server: WebSocketServer;
let address = '';

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket, { url = '' }) =>
    socket.on('message', (data: Buffer) => reply(socket, url, data.toString())),
  );
  await once(server, 'listening');
  address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

function reply(socket: WebSocket, path: string, text: string): void {
  const command = parseJson(text);
  if (!isJsonObject(command)) return;
  const { id, method, sessionId } = command;
  const version = { product: 'Chrome/1.2.3', protocolVersion: '1.3', revision: '', userAgent: '', jsVersion: '' };
  const result = method === 'Browser.getVersion' ? version : { browserContextIds: [], targetInfos: [] };
  if (method === 'Target.setAutoAttach' && sessionId === undefined)
    for (const event of events[path] ?? []) socket.send(event);
  socket.send(JSON.stringify({ id, result, ...(sessionId === undefined ? {} : { sessionId }) }));
}

/**
 * Attaches a client in a process of its own, because an error outside of every call would end that process. Returns the
 * exit code and the output of the process.
 */
async function attach(client: 'playwright' | 'puppeteer', path: string): Promise<string> {
  const script = `
    const { connectors } = await import('#conformance/transport/cdp/connectors.ts');
    const limits = { timeoutMs: 1500, signal: new AbortController().signal };
    try {
      const client = await connectors.${client}('${address}${path}', limits);
      await client.open('mark');
      await client.release();
      console.log('opened');
    } catch (error) {
      console.log(error.name + ': ' + error.message);
    }
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [code] = await once(child, 'close');
  return `${String(code)} ${out.trim()}`;
}

it.each([
  ['playwright', '/one-target-twice', /^0 CdpFault: playwright-core failed on what the browser sent: Duplicate target/],
  ['playwright', '/no-json', /^0 CdpFault: /],
  ['puppeteer', '/one-target-twice', /^0 CdpFault: /],
  ['puppeteer', '/no-json', /^0 CdpFault: puppeteer-core failed on what the browser sent/],
] as const)('reports a fault of %s on %s instead of ending the process', async (client, path, said) => {
  expect(await attach(client, path)).toMatch(said);
});
