import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSocket, sendRaw } from './support/raw-http.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

const logged: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    logged.push(chunk.toString());
    done();
  },
});

let started: StartedBackend;
beforeAll(async () => {
  started = await startBackend({ log: pino({ level: 'info' }, sink) });
});
afterAll(() => started.stop());

const host = 'Host: localhost';
const lines = (...given: string[]): string => `${given.join('\r\n')}\r\n\r\n`;
const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
const handshake = [...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];

it.each([
  { name: 'bytes that are no HTTP', bytes: 'hello\r\n\r\n', status: 400 },
  { name: 'headers that are too large', bytes: lines('GET / HTTP/1.1', host, `A: ${'a'.repeat(17_000)}`), status: 431 },
  { name: 'no host', bytes: lines('GET /healthz HTTP/1.1'), status: 400 },
  { name: 'no host in HTTP/1.0', bytes: lines('GET /healthz HTTP/1.0'), status: 200 },
  {
    name: 'an expectation of nobody',
    bytes: lines('GET /healthz HTTP/1.1', host, 'Expect: a-miracle', 'Connection: close'),
    status: 200,
  },
  {
    name: 'an upgrade to nothing',
    bytes: lines('GET /devtools/browser/none HTTP/1.1', host, ...handshake),
    status: 404,
  },
  {
    name: 'an upgrade that lacks its key',
    bytes: lines('GET /live/none/socket HTTP/1.1', host, ...upgrade),
    status: 400,
  },
  {
    name: 'an upgrade with protocols that are no list',
    bytes: lines('GET /devtools/browser/none HTTP/1.1', host, ...handshake, 'Sec-WebSocket-Protocol: a, ,b'),
    status: 400,
  },
])('$name is answered $status, with an id and with what guards every answer', async ({ bytes, status }) => {
  const answer = await sendRaw(started.address, bytes);
  expect(answer?.status).toBe(status);
  expect(answer?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer?.headers.get('content-type')).toContain('application/json');
});

it.each(['POST /api/v4/runs', 'PATCH /api/v4/browsers/none'])(
  'a client that leaves in the middle of %s is no error of ours',
  async (target) => {
    logged.length = 0;
    const socket = await openSocket(started.address);
    socket.write(
      `${lines(`${target} HTTP/1.1`, host, `X-Service-API-Key: ${testKey}`, 'Content-Type: application/json', 'Content-Length: 100', 'X-Request-Id: leaves')}{"task":`,
    );
    // An answer on another connection proves that the service has read the first request.
    await fetch(`${started.address}/healthz`);
    socket.destroy();
    await expect.poll(() => logged.filter((line) => line.includes('"leaves"'))).not.toEqual([]);
    expect(logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  },
);
