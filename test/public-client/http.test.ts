import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { operations } from '#generated/operations.ts';
import { createGatedHost } from '../support/gated-host.ts';
import { type BackendChanges, type StartedBackend, startBackend } from '../support/start-backend.ts';
import { ClientError, type Connection, connect } from './connection.ts';
import { createTestTime } from './test-time.ts';

/** This file tests how the public client handles statuses and bodies (companion 2, C1 to C10, C19, C20). */

let started: StartedBackend;

async function start(changes: BackendChanges = {}): Promise<void> {
  started = await startBackend(changes);
}
const stop = (): Promise<void> => started.stop();

function client(version: string, key?: string): Connection {
  const time = createTestTime(started.clock);
  return connect({ baseUrl: `${started.address}/api/${version}`, time, ...(key === undefined ? {} : { key }) });
}

/**
 * Returns the ClientError with which a request rejects. Throws if the request succeeds, or rejects with another error.
 */
async function catchError(request: Promise<unknown>): Promise<ClientError> {
  const error: unknown = await request.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ClientError) return error;
  throw error;
}

describe('429', () => {
  afterEach(stop);

  const creations = [
    {
      version: 'v2',
      path: '/tasks',
      body: { task: 'svc-test: slow 60' },
      list: '/tasks',
      count: ({ totalItems }: JsonObject) => totalItems,
    },
    {
      version: 'v2',
      path: '/sessions',
      body: {},
      list: '/sessions',
      count: ({ totalItems }: JsonObject) => totalItems,
    },
    {
      version: 'v3',
      path: '/sessions',
      body: { task: 'svc-test: slow 60' },
      list: '/sessions',
      count: ({ total }: JsonObject) => total,
    },
    {
      version: 'v4',
      path: '/runs',
      body: { task: 'svc-test: slow 60' },
      list: '/runs',
      count: ({ runs }: JsonObject) => (runs as JsonObject[]).length,
    },
    {
      version: 'v4',
      path: '/browsers',
      body: {},
      list: '/browsers',
      count: ({ totalItems }: JsonObject) => totalItems,
    },
  ];

  it.each(creations)(
    'of POST $version $path is tried four times, and nothing was created by it',
    async ({ version, path, body, list, count }) => {
      await start({ activeSessionsMax: 1 });
      const patient = client(version);
      const first = (await patient.request('POST', path, body)) as JsonObject;
      const refused = await catchError(patient.request('POST', path, body));
      expect([refused.status, refused.message]).toEqual([
        429,
        expect.stringMatching(/^Too many concurrent active sessions/),
      ]);
      expect([patient.attempts(), patient.time.sleeps]).toEqual([5, [1000, 2000, 4000]]);
      expect(count((await patient.request('GET', list)) as JsonObject)).toBe(1);
      expect(first['id']).toBeDefined();
    },
  );

  it('that passes is followed by exactly one creation', async () => {
    await start({ activeSessionsMax: 1 });
    const patient = client('v3');
    const { id } = (await patient.request('POST', '/sessions', {})) as JsonObject;
    patient.time.during(2, () => patient.request('POST', `/sessions/${String(id)}/stop`));
    const second = (await patient.request('POST', '/sessions', {})) as JsonObject;
    expect(second['id']).not.toBe(id);
    expect(await patient.request('GET', '/sessions')).toMatchObject({ total: 2 });
    expect(patient.time.sleeps).toEqual([1000, 2000]);
  });

  it('of a full queue leaves no message behind', async () => {
    await start();
    const patient = client('v4');
    const { sessionId } = (await patient.request('POST', '/runs', { task: 'svc-test: slow 60' })) as JsonObject;
    const queue = `/sessions/${String(sessionId)}/queue`;
    for (let message = 0; message < 10; message += 1) await patient.request('POST', queue, { text: 'x' });
    const refused = await catchError(patient.request('POST', queue, { text: 'one more' }));
    expect([refused.status, typeof refused.message]).toEqual([429, 'string']);
    const waiting = (await patient.request('GET', queue)) as { queue: JsonObject[] };
    expect(waiting.queue.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, () => 'x'));
  });
});

describe('a creation', () => {
  afterEach(stop);

  it.each([
    { version: 'v2', path: '/tasks' },
    { version: 'v3', path: '/sessions' },
    { version: 'v4', path: '/runs' },
  ])('POST $version$path answers while the browser is still starting', async ({ version, path }) => {
    const host = createGatedHost();
    await start({ host });
    const open = host.holdLaunches();
    expect(await client(version).request('POST', path, { task: 'svc-test: succeed' })).toMatchObject({
      id: expect.any(String),
    });
    expect(host.alive.size).toBe(0);
    open();
  });
});

describe('an error', () => {
  // Refused requests leave no resources, so all tests share one service.
  beforeAll(() => start());
  afterAll(stop);

  const nobody = '00000000-0000-4000-8000-000000000000';
  const concrete = (path: string): string =>
    path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => (name === 'message_id' ? '1' : nobody));

  /**
   * Expects an error with one of these statuses. Its body must contain a text of the server that a client can show to a
   * user.
   */
  function expectWords(error: ClientError, statuses: readonly number[]): void {
    expect(statuses).toContain(error.status);
    expect(error.message).not.toBe(`HTTP ${error.status}`);
    expect(error.message).toMatch(/[a-z]{3}/i);
    expect(error.body).not.toHaveProperty('message');
    const { detail } = error.body as { detail?: unknown };
    if (error.status !== 422) expect(typeof detail).toBe('string');
    else expect(detail).toContainEqual({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) });
  }

  it.each(operations)('of $version $id has words: without a key', async ({ version, method, path }) => {
    expectWords(await catchError(client(version, 'svc_wrong').request(method.toUpperCase(), concrete(path))), [401]);
  });

  it.each(operations.filter(({ pathParameters }) => pathParameters.length > 0))(
    'of $version $id has words: malformed identifiers',
    async ({ version, method, path, body }) => {
      const address = path.replaceAll(/\{[^}]*\}/g, 'x');
      expectWords(
        await catchError(client(version).request(method.toUpperCase(), address, body === 'none' ? undefined : {})),
        [422],
      );
    },
  );

  it.each(operations.filter(({ body }) => body !== 'none'))(
    'of $version $id has words: a body that is a list',
    async ({ version, method, path }) => {
      expectWords(await catchError(client(version).request(method.toUpperCase(), concrete(path), [])), [422, 404]);
    },
  );

  it.each(operations.filter(({ method, pathParameters }) => method === 'get' && pathParameters.length > 0))(
    'of $version $id has words: nothing there',
    async ({ version, path }) => {
      expectWords(await catchError(client(version).request('GET', concrete(path))), [404]);
    },
  );

  it.each(['v2', 'v3', 'v4'])('of %s has words: no such route, no such method', async (version) => {
    expectWords(await catchError(client(version).request('GET', '/nowhere')), [404]);
    expectWords(await catchError(client(version).request('PUT', '/sessions')), [405]);
  });
});

describe('a list of values', () => {
  beforeEach(() => start());
  afterEach(stop);

  it('knows countries in lower case only, as the client sends them', async () => {
    const { message } = await catchError(client('v3').request('POST', '/sessions', { proxyCountryCode: 'DE' }));
    expect(message).toContain('proxyCountryCode');
    expect(await client('v3').request('POST', '/sessions', { proxyCountryCode: 'de' })).toMatchObject({
      proxyCountryCode: 'de',
    });
    const browser = await catchError(client('v4').request('POST', '/browsers', { proxyCountryCode: 'DE' }));
    expect(browser.status).toBe(422);
  });

  it('of labels has ten at most, which the client checks before it sends them', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, 'v']));
    for (const [version, path] of [
      ['v2', '/tasks'],
      ['v4', '/browsers'],
    ] as const) {
      const { status } = await catchError(client(version).request('POST', path, { task: 'x', metadata }));
      expect(status).toBe(422);
    }
  });
});
