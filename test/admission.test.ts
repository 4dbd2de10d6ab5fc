import { afterEach, expect, it } from 'vitest';
import { createSimulatedHost, HostBusy } from '#browsers/index.ts';
import type { BrowserHost } from '#browsers/host.ts';
import { createApiClient } from './support/api-client.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
afterEach(() => started.stop());

/**
 * Creates a host that rejects launches as busy: while `busy` is true, each launch with a start deadline rejects with
 * HostBusy.
 */
function createBusyHost(): BrowserHost & { busy: boolean } {
  const host = createSimulatedHost();
  const wrapped = {
    ...host,
    busy: true,
    launch: (options: Parameters<BrowserHost['launch']>[0]) =>
      wrapped.busy && options.startsWithinMs !== undefined
        ? Promise.reject(new HostBusy(40, 12_300))
        : host.launch(options),
  };
  return wrapped;
}

it('a browser whose turn would come too late is a 429 that says when to come again, and was never created', async () => {
  const host = createBusyHost();
  started = await startBackend({ host });
  const headers = { 'x-service-api-key': testKey, 'content-type': 'application/json' };
  const refused = await fetch(`${started.address}/api/v4/browsers`, { method: 'POST', headers, body: '{}' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '13']);
  expect(await refused.json()).toEqual({
    detail: 'Too many browsers are being started: 40 wait for their turn; nothing was created, try again in 13 s',
  });
  const v4 = createApiClient(started.address, undefined, 'v4');
  expect((await v4.call('GET', '/browsers')).body['totalItems']).toBe(0);
  host.busy = false;
  expect((await v4.call('POST', '/browsers', {})).status).toBe(201);
});

it('a session waits for its browser without a deadline', async () => {
  started = await startBackend({ host: createBusyHost() });
  const v3 = createApiClient(started.address);
  const { body } = await v3.call('POST', '/sessions', { keepAlive: true });
  await v3.until(String(body['id']), ({ status }) => status === 'idle');
});

/**
 * Creates a host whose first launch calls `answered` at once and then waits for `first`. The test ends this launch by
 * resolving or rejecting `first`.
 */
function createSlowHost(): { host: BrowserHost; first: PromiseWithResolvers<void>; launches: () => number } {
  const simulated = createSimulatedHost();
  const first = Promise.withResolvers<void>();
  let launches = 0;
  const launch: BrowserHost['launch'] = async (options) => {
    launches += 1;
    options.answered?.();
    if (launches === 1) await first.promise;
    return simulated.launch(options);
  };
  return { host: { ...simulated, launch }, first, launches: () => launches };
}

it('answers a creation when the browser answers; a connecting client waits for its pages', async () => {
  const { host, first, launches } = createSlowHost();
  started = await startBackend({ host });
  const v4 = createApiClient(started.address, undefined, 'v4');
  const { status, body } = await v4.call('POST', '/browsers', {});
  expect([status, body['status']]).toEqual([201, 'active']);
  const connecting = connectRaw(String(body['cdpUrl']));
  const early = await Promise.race([connecting, v4.call('GET', '/browsers').then(() => 'not yet')]);
  expect(early).toBe('not yet');
  first.resolve();
  expect(await (await connecting).result('Browser.getVersion')).toHaveProperty('product');
  expect(launches()).toBe(1);
});

it('restarts a browser that answered but did not open its pages when a client connects', async () => {
  const { host, first, launches } = createSlowHost();
  started = await startBackend({ host });
  const v4 = createApiClient(started.address, undefined, 'v4');
  const { body } = await v4.call('POST', '/browsers', {});
  // The first client connects while the first browser still starts, the second client later. Both get the second
  // browser.
  const connecting = connectRaw(String(body['cdpUrl']));
  await v4.call('GET', '/browsers');
  first.reject(new Error('it hung'));
  for (const client of [await connecting, await connectRaw(String(body['cdpUrl']))])
    expect(await client.result('Browser.getVersion')).toHaveProperty('product');
  expect(launches()).toBe(2);
  expect((await v4.call('GET', `/browsers/${String(body['id'])}`)).body).toMatchObject({ status: 'active' });
});
