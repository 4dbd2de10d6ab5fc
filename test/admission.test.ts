import { afterEach, expect, it } from 'vitest';
import { createSimulatedHost, HostBusy } from '#backend/browsers/index.ts';
import type { BrowserHost } from '#backend/browsers/host.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
afterEach(() => started.stop());

/** A host at which too many wait for whoever has no time. */
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

it('a session waits as long as it takes, since nobody waits for it', async () => {
  started = await startBackend({ host: createBusyHost() });
  const v3 = createApiClient(started.address);
  const { body } = await v3.call('POST', '/sessions', { keepAlive: true });
  await v3.until(String(body['id']), ({ status }) => status === 'idle');
});
