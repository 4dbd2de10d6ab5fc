import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRecordingLog, type RecordingLog } from '../testing/recording-log.ts';
import { type PageServer, servePages } from '../testing/serve-pages.ts';
import { parseAllowList, type Resolve } from './resolve-target.ts';
import { type EgressGate, openEgressGate } from './egress-gate.ts';

let server: PageServer;
let log: RecordingLog;
let gate: EgressGate;
let lookups: string[];

/** Resolves like the name server of a DNS rebinding attack: to a loopback address once, then to a private address. */
const rebinding: Resolve = async (hostname) => {
  lookups.push(hostname);
  return [{ address: lookups.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
};

beforeEach(async () => {
  server = await servePages({ '/': 'x'.repeat(5_000) });
  log = createRecordingLog();
  lookups = [];
  gate = await openEgressGate({ allowed: parseAllowList([server.host]), log, resolve: rebinding });
});
afterEach(async () => {
  await gate.close();
  await server.close();
});

async function get(url: string, proxy = '127.0.0.1'): Promise<{ status: number; body: string }> {
  const outgoing = request({
    host: proxy,
    port: gate.port,
    path: url,
    headers: { host: new URL(url).host },
    agent: false,
  });
  outgoing.end();
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  if (response === undefined) throw new TypeError('no response');
  return { status: response.statusCode ?? 0, body: await text(response) };
}

test('forwards to an allowed address and counts the bytes of both directions', async () => {
  expect(gate.trafficBytes()).toBe(0);
  expect(await get(`${server.origin}/`)).toMatchObject({ status: 200, body: 'x'.repeat(5_000) });
  expect(gate.trafficBytes()).toBeGreaterThan(5_000);
  expect(gate.trafficBytes()).toBeLessThan(6_000);
});

test('connects to the address that was judged and never resolves again', async () => {
  const port = new URL(server.origin).port;
  expect(await get(`http://rebound.example:${port}/`)).toMatchObject({ status: 200 });
  expect(lookups).toEqual(['rebound.example']);
});

test('refuses what is not allowed, remembers why, and bills nothing', async () => {
  const { status, body } = await get('http://127.0.0.1:1/');
  expect(status).toBe(403);
  expect(body).toContain('127.0.0.1 leads to 127.0.0.1, which is loopback');
  expect(gate.getRefusal('127.0.0.1')).toContain('loopback');
  expect(gate.trafficBytes()).toBe(0);
  expect(log.infos).toEqual(['egress refused']);
  await get(`${server.origin}/`);
  expect(gate.getRefusal('127.0.0.1')).toBeNull();
});

test('refuses a tunnel as well, and counts the bytes of an open one while it is open', async () => {
  const connect = async (path: string): Promise<{ status: number; socket: IncomingMessage['socket'] }> => {
    const outgoing = request({ host: '127.0.0.1', port: gate.port, method: 'CONNECT', path, agent: false });
    outgoing.end();
    const [response, socket]: [IncomingMessage, IncomingMessage['socket']] = await once(outgoing, 'connect').then(
      ([a, b]) => [a, b],
    );
    return { status: response.statusCode ?? 0, socket };
  };
  expect((await connect('127.0.0.1:1')).status).toBe(403);
  const { status, socket } = await connect(server.host);
  expect(status).toBe(200);
  socket.write(`GET / HTTP/1.1\r\nhost: ${server.host}\r\n\r\n`);
  let got = 0;
  for await (const chunk of socket) {
    got += Buffer.byteLength(chunk);
    if (got > 5_000) break;
  }
  expect(gate.trafficBytes()).toBeGreaterThan(5_000);
});

test('answers a page the same for a name of a private network and for one that does not exist, and tells the operator', async () => {
  const told: unknown[] = [];
  await gate.close();
  gate = await openEgressGate({
    allowed: parseAllowList([]),
    log: { info: (fields) => void told.push(fields), warn: () => undefined },
    resolve: async (hostname) => {
      if (hostname === 'inside.example') return [{ address: '10.0.0.1', family: 4 }];
      throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
    },
  });
  const answers = [];
  for (const hostname of ['inside.example', 'nowhere.example']) {
    const { status, body } = await get(`http://${hostname}/`);
    answers.push({
      status,
      body: body.replaceAll(hostname, 'NAME'),
      told: gate.getRefusal(hostname)?.replace(hostname, ''),
    });
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(JSON.stringify(answers)).not.toContain('10.0.0.1');
  expect(JSON.stringify(told)).toContain('inside.example leads to 10.0.0.1');
});

test('serves the processes of its owner only', async () => {
  const own = process.getuid?.() ?? 0;
  await gate.close();
  gate = await openEgressGate({ allowed: parseAllowList([server.host]), log, owner: own + 1 });
  expect(await get(`${server.origin}/`)).toMatchObject({
    status: 403,
    body: expect.stringContaining('the browser that'),
  });
  expect([server.hosts(), gate.trafficBytes()]).toEqual([[], 0]);
  expect(log.warnings).toEqual(['the egress proxy of a browser refused another process']);
  await gate.close();
  gate = await openEgressGate({ allowed: parseAllowList([server.host]), log, owner: own });
  expect((await get(`${server.origin}/`)).status).toBe(200);
  // The IPv4 table of the kernel does not list an IPv6 socket. The user of the socket is unknown, so the proxy refuses
  // it.
  expect((await get(`${server.origin}/`, '::ffff:127.0.0.1')).status).toBe(403);
});
