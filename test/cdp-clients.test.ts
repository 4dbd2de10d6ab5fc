import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CdpFault, connectors } from '#conformance/transport/cdp/index.ts';
import { type CdpLimits, clientKinds } from '#conformance/core/cdp.ts';
import { type StartedChromium, startChromium } from './support/start-chromium.ts';

const limits: CdpLimits = { timeoutMs: 10_000, signal: new AbortController().signal };

describe('the automation clients of the suite on a plain Chromium', () => {
  let chromium: StartedChromium;

  beforeEach(async () => {
    chromium = await startChromium();
  });
  afterEach(() => chromium.stop());

  it.each(clientKinds)('%s opens a page, works in it and leaves it for the next one', async (kind) => {
    const client = await connectors[kind](chromium.address, limits);
    await client.open('mark-1');
    expect(await client.evaluate('mark-1', 'globalThis.kept = "it"')).toBe('it');
    expect(await client.evaluate('mark-2', '"never"')).toBeUndefined();
    await client.release();
    for (const next of clientKinds) {
      const other = await connectors[next](chromium.address, limits);
      expect([next, await other.evaluate('mark-1', 'String(globalThis.kept)')]).toEqual([next, 'it']);
      await other.release();
    }
  });

  it.each([
    ['raw', 'leave'],
    ['raw', 'drop'],
    ['playwright', 'close'],
    ['puppeteer', 'leave'],
  ] as const)('%s goes away by %s and leaves the browser alone', async (kind, departure) => {
    const client = await connectors[kind](chromium.address, limits);
    await client.departures[departure]?.();
    const raw = await connectors.raw(chromium.address, limits);
    await expect(raw.ping()).resolves.toBeUndefined();
    await raw.release();
    await client.release();
  });

  it.each(['raw', 'puppeteer'] as const)('%s really closes the browser object', async (kind) => {
    const client = await connectors[kind](chromium.address, limits);
    await client.departures.close?.();
    await chromium.ended;
    await client.release();
  });
});

describe('an automation client', () => {
  it.each(clientKinds)('%s reports that no server listens', async (kind) => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const attached = connectors[kind](`ws://127.0.0.1:${port}/devtools/browser/x`, limits);
    await expect(attached).rejects.toThrow(CdpFault);
    await expect(attached).rejects.toThrow('ECONNREFUSED');
  });

  it.each(clientKinds)('%s waits no longer than its deadline for a silent server', async (kind) => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    const short = { ...limits, timeoutMs: 200 };
    const attached = connectors[kind](`ws://127.0.0.1:${port}/devtools/browser/x`, short);
    await expect(attached).rejects.toThrow(CdpFault);
    silent.close();
  });

  it.each(clientKinds)('%s ends its wait when the run ends', async (kind) => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    const run = new AbortController();
    const attached = connectors[kind](`ws://127.0.0.1:${port}/x`, { timeoutMs: 10_000, signal: run.signal });
    run.abort(new Error('the run has ended'));
    await expect(attached).rejects.toThrow('the run has ended');
    silent.close();
  });
});
