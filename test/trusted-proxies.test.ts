import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '#api/http/client-address.ts';
import { createFrozenClock } from './support/frozen-clock.ts';
import { openSocket, readAnswer } from './support/raw-http.ts';
import { startAppendingProxy } from './support/appending-proxy.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

const windowMs = 5000;
const full = 5;
const clock = createFrozenClock(1_800_000_000_000);

/** Returns the number of requests that the rate limit still allows the sender in the current window. */
async function left(address: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const answer = await fetch(`${address}/api/v4/runs`, { headers });
  await answer.text();
  return Number(answer.headers.get('x-ratelimit-remaining'));
}

describe('whom a request comes from', () => {
  let trusting: StartedBackend;
  let plain: StartedBackend;
  beforeAll(async () => {
    const rates = { requestsPerSecond: 1, clock };
    plain = await startBackend(rates);
    trusting = await startBackend({ ...rates, trustedProxies: parseTrustedProxies(['127.0.0.1', '10.0.0.0/8']) });
  });
  afterAll(async () => {
    await plain.stop();
    await trusting.stop();
  });
  const forwarded = (address: string, list: string): Promise<number> => left(address, { 'x-forwarded-for': list });

  it('is the peer of the connection, whatever it says, where no proxy is trusted', async () => {
    clock.advance(windowMs);
    expect(await left(plain.address)).toBe(full - 1);
    expect(await forwarded(plain.address, '203.0.113.9')).toBe(full - 2);
    expect(await left(plain.address, { forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' })).toBe(full - 3);
  });

  it.each([
    { list: '203.0.113.1', as: '203.0.113.1', why: 'a proxy speaks for its client' },
    { list: '198.51.100.66, 203.0.113.2', as: '203.0.113.2', why: 'what a client wrote before is not believed' },
    { list: '203.0.113.3, 10.1.2.3', as: '203.0.113.3', why: 'a chain of trusted proxies is one' },
    { list: '203.0.113.4, 192.0.2.1, 10.1.2.3', as: '192.0.2.1', why: 'a proxy that nobody trusts is a client' },
    { list: '2001:db8:1:2::5', as: '2001:db8:1:2:ffff::1', why: 'of IPv6 the network counts' },
    { list: '::ffff:203.0.113.5', as: '203.0.113.5', why: 'IPv4 is IPv4 in every spelling' },
    { list: 'unknown', as: '', why: 'what is no address is nobody' },
    { list: '203.0.113.6, "<script>"', as: '', why: 'what is no address ends the list' },
    { list: '203.0.113.7:4711', as: '', why: 'an address with a port is none' },
  ])('$why: "$list"', async ({ list, as }) => {
    clock.advance(windowMs);
    expect(await forwarded(trusting.address, list)).toBe(full - 1);
    // The client has used its own budget, and no other client's.
    expect(await (as === '' ? left(trusting.address) : forwarded(trusting.address, as))).toBe(full - 2);
    expect(await forwarded(trusting.address, '233.252.0.1')).toBe(full - 1);
  });

  it('takes no other header for it', async () => {
    clock.advance(windowMs);
    await left(trusting.address);
    expect(await left(trusting.address, { forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' })).toBe(full - 2);
  });

  it('is each client behind a real proxy by himself', async () => {
    clock.advance(windowMs);
    await using proxy = await startAppendingProxy(trusting.address);
    const from = (localAddress: string): Promise<number> => proxy.remainingFor(localAddress);
    expect([await from('127.0.0.2'), await from('127.0.0.2'), await from('127.0.0.3')]).toEqual([4, 3, 4]);
  });
});

describe('connections that a trusted proxy holds', () => {
  it('are unlimited; each of its clients has the limit of concurrent requests', async () => {
    const isProxy = parseTrustedProxies(['127.0.0.1']);
    const started = await startBackend({ connectionsPerAddress: 2, trustedProxies: isProxy });
    const send = async (client: string, ...lines: string[]): Promise<Socket> => {
      const socket = await openSocket(started.address);
      socket.write([...lines, 'Host: x', `X-Forwarded-For: ${client}`, '', ''].join('\r\n'));
      return socket;
    };
    // Sends a request whose body never arrives.
    const hold = (client: string): Promise<Socket> =>
      send(client, 'POST /api/v4/runs HTTP/1.1', `X-Service-API-Key: ${testKey}`, 'Content-Length: 9');
    const ask = async (client: string): Promise<number | undefined> =>
      (await readAnswer(await send(client, 'GET /healthz HTTP/1.1', 'Connection: close')))?.status;
    const idle = await Promise.all(Array.from({ length: 6 }, () => openSocket(started.address)));
    const held = [await hold('203.0.113.1'), await hold('203.0.113.1')];
    await expect.poll(() => ask('203.0.113.1')).toBe(429);
    expect(await ask('203.0.113.2')).toBe(200);
    held[0]?.destroy();
    await expect.poll(() => ask('203.0.113.1')).toBe(200);
    for (const socket of [...idle, ...held]) socket.destroy();
    await started.stop();
  });
});

describe('a list of proxies', () => {
  it.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    '10.0.0.1:80',
    '0.0.0.0/-1',
  ])('refuses "%s"', (text) => {
    expect(() => parseTrustedProxies([text])).toThrow('is neither an address (10.0.0.1) nor a range');
  });

  it('holds addresses and ranges of both families', () => {
    const trusts = parseTrustedProxies(['10.0.0.1', '172.16.0.0/12', '::1', 'fd00::/8']);
    const among = ['10.0.0.1', '::ffff:10.0.0.1', '172.31.0.9', '::1', 'fd12::3'];
    const others = ['10.0.0.2', '172.32.0.1', '::2', 'fe80::1', '', 'localhost'];
    expect([...among, ...others].filter((address) => trusts(address))).toEqual(among);
  });
});
