import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientRequirements } from '#generated/requirements.ts';
import { clientScenarios } from '#generated/rules.ts';
import { type Report, observeClient } from '#conformance/index.ts';
import { openService } from '../../src/cli/check-client/run-check-client.ts';

/** Scenarios of the good client, with their input. */
const scenarios: readonly (readonly [scenario: string, input: object])[] = [
  ['run', { create: { task: 'Größe', model: 'gpt-5.6-luna', browserSettings: { proxyCountryCode: null } } }],
  ['events', { create: { task: 'x', model: 'gpt-5.6-luna' } }],
  ['list', { limit: 1 }],
  ['files', { files: [{ name: 'a b.csv', contentType: 'text/csv', base64: 'YSxi' }] }],
  ['browser', { create: { timeout: 5 }, rounds: 2 }],
];

const verdicts = ({ requirements }: Report): Record<string, string> =>
  Object.fromEntries(requirements.map(({ id, verdict }) => [id, verdict]));

describe('observeClient', () => {
  let good: Report;
  beforeAll(async () => {
    const service = await openService(1);
    const moved: Promise<void>[] = [];
    const observation = await observeClient({
      url: service.address,
      onRequest: () => moved.push(service.advance(2000)),
    });
    for (const [svcScenario, input] of scenarios) {
      const env = { SERVICE_API_URL: observation.address, SERVICE_API_KEY: service.apiKey, SVC_SCENARIO: svcScenario };
      const svcInput = JSON.stringify({ version: 'v4', pollMs: 250, timeoutMs: 20_000, ...input });
      const child = spawn(process.execPath, ['examples/check-client/fetch/adapter.mjs'], {
        env: { ...process.env, ...env, SVC_INPUT: svcInput },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code]: unknown[] = await once(child, 'exit');
      if (code !== 0) throw new Error(`${svcScenario} of the good client ended with ${String(code)}`);
    }
    await Promise.all(moved);
    await observation.close();
    good = observation.judge();
    await service.close();
  });

  it('finds nothing in the traffic of a client that keeps the rules', () => {
    expect(good.requirements.flatMap(({ id, failures }) => failures.map(({ message }) => `${id}: ${message}`))).toEqual(
      [],
    );
    const kept = Object.entries(verdicts(good)).flatMap(([id, verdict]) => (verdict === 'pass' ? [id] : []));
    expect(kept).toEqual(
      expect.arrayContaining([
        'CLIENT-KEY-01',
        'CLIENT-REQUEST-05',
        'CLIENT-REQUEST-09',
        'CLIENT-POLL-01',
        'CLIENT-POLL-05',
      ]),
    );
    expect(kept).toEqual(
      expect.arrayContaining(['CLIENT-BROWSER-02', 'CLIENT-LIST-03', 'CLIENT-EVENT-01', 'CLIENT-FILE-02']),
    );
  });

  it('says of each rule that traffic cannot show what it needs', () => {
    const reasons = new Map(good.requirements.map(({ id, reason }) => [id, reason]));
    expect(reasons.get('CLIENT-KEY-04')).toBe('--observe does not see what the client prints: run its trials');
    expect([...reasons.values()].filter((reason) => reason?.startsWith('--observe'))).toHaveLength(
      clientScenarios.unobserved.flatMap(({ rules }) => rules).length,
    );
  });

  it('has every rule in one of its two lists', () => {
    const listed = [...clientScenarios.observed, ...clientScenarios.unobserved.flatMap(({ rules }) => rules)];
    expect(listed.toSorted()).toEqual(clientRequirements.map(({ id }) => id).toSorted());
  });
});

describe('a creation of unknown outcome', () => {
  /**
   * Number of requests so far. The server cuts the connection of the first request, does not answer the second, and
   * accepts all later requests.
   */
  let count = 0;
  const service = createServer((request, response) => {
    count += 1;
    if (count === 1) request.socket.destroy();
    else if (count > 2) response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"r"}');
  });
  afterAll(() => service.closeAllConnections());
  afterAll(() => void service.close());

  it('is known from a cut connection and from a client that stops waiting', async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const observation = await observeClient({ url: `http://127.0.0.1:${port}` });
    const create = (task: string, timeoutMs: number): Promise<unknown> =>
      fetch(`${observation.address}/api/v4/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-api-key': 'k' },
        body: JSON.stringify({ task }),
        signal: AbortSignal.timeout(timeoutMs),
      });
    await expect(create('cut', 10_000)).rejects.toThrow('fetch failed');
    await expect(create('late', 300)).rejects.toThrow(/timeout/);
    await create('cut', 10_000);
    await create('late', 10_000);
    await observation.close();
    const report = observation.judge();
    expect(verdicts(report)).toMatchObject({ 'CLIENT-WRITE-01': 'violation', 'CLIENT-WRITE-03': 'violation' });
    const [failure] = report.requirements.find(({ id }) => id === 'CLIENT-WRITE-01')?.failures ?? [];
    expect(failure?.replay).toMatch(/^svc-client1\.\S+ -- COMMAND$/);
  });
});

describe('a deployment that observeClient forwards to', () => {
  const part = Buffer.alloc(1_048_576, 'x');
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function observeServer(
    host: string,
    listener: RequestListener,
  ): Promise<{ get: () => Promise<string>; close: () => Promise<void> }> {
    const server = createServer(listener);
    servers.push(server);
    await once(server.listen(0, host), 'listening');
    const { port } = server.address() as AddressInfo;
    const observation = await observeClient({ url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` });
    return { get: async () => (await fetch(observation.address)).text(), close: () => observation.close() };
  }

  it('sends at most 64 MiB of a body', async () => {
    const closed = Promise.withResolvers<number>();
    const { get, close } = await observeServer('127.0.0.1', (_request, response) => {
      let count = 0;
      const write = (): void => {
        // A proxy without a limit would take them all.
        while (count < 200 && !response.destroyed) {
          count += 1;
          if (!response.write(part)) return;
        }
        response.end();
      };
      response.on('drain', write).on('close', () => closed.resolve(count));
      write();
    });
    await expect(get()).rejects.toThrow('fetch failed');
    expect(await closed.promise).toBeLessThan(100);
    await close();
  });

  it('may have an IPv6 address', async () => {
    const { get, close } = await observeServer('::1', (_request, response) => response.end('ok'));
    expect(await get()).toBe('ok');
    await close();
  });
});
