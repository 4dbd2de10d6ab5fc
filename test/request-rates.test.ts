import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createProjects } from '#accounts/projects.ts';
import { operations } from '#generated/operations.ts';
import { createFrozenClock } from './support/frozen-clock.ts';
import { type BackendChanges, type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

const windowMs = 5000;
const perSecond = 2;
const size = 10;
/** Start time of the clock: 1.5 seconds after the beginning of a rate window. */
const startMs = 1_800_000_001_500;

let started: StartedBackend;
afterEach(() => started.stop());

async function start(changes: BackendChanges = {}): Promise<void> {
  started = await startBackend({ requestsPerSecond: perSecond, clock: createFrozenClock(startMs), ...changes });
}

interface Said {
  readonly status: number;
  readonly body: unknown;
  /** Values of the headers X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset and Retry-After. */
  readonly rate: readonly (string | null)[];
}

const rateHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];

async function send(path: string, init: RequestInit & { readonly key?: string | null } = {}): Promise<Said> {
  const { key = testKey, ...rest } = init;
  const headers = { ...(key === null ? {} : { 'x-service-api-key': key }), ...(init.body === undefined ? {} : json) };
  const response = await fetch(`${started.address}/api${path}`, { ...rest, headers });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? null : JSON.parse(text),
    rate: rateHeaders.map((name) => response.headers.get(name)),
  };
}

const json = { 'content-type': 'application/json' };

async function times(count: number, path: string, init?: Parameters<typeof send>[1]): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await send(path, init);
}

const refused = {
  status: 429,
  rate: [String(size), '0', '4', '5'],
  body: { error: 'rate_limited', limit_rps: perSecond, retry_after_seconds: 5, detail: expect.any(String) },
};

describe('the rate of requests', () => {
  it('says nothing and refuses nothing unless it is asked for', async () => {
    started = await startBackend();
    expect((await send('/v4/runs')).rate).toEqual([null, null, null, null]);
  });

  it('is told in every answer, whatever it is', async () => {
    await start();
    const answers = [
      await send('/v4/runs'),
      await send('/v4/runs/none'),
      await send('/v4/runs', { method: 'POST', body: '[' }),
      await send('/v4/runs', { key: 'svc_wrong' }),
      await send('/v4/runs', { key: null }),
      await send('/v4/no-such-route'),
      await send('/v4/runs', { method: 'PUT' }),
    ];
    expect(answers.map(({ status, rate }) => [status, ...rate])).toEqual([
      [200, '10', '9', '4', null],
      [422, '10', '8', '4', null],
      [422, '10', '7', '4', null],
      [401, '10', '9', '4', null],
      [401, '10', '8', '4', null],
      [404, '10', '7', '4', null],
      [405, '10', '6', '4', null],
    ]);
  });

  it('is that of a project: the window is used up in all generations, and not for another project', async () => {
    await start();
    await times(size - 1, '/v4/runs');
    expect((await send('/v3/sessions')).status).toBe(200);
    expect(await send('/v2/tasks')).toEqual(refused);
    expect((await send('/v2/tasks', { key: otherKey })).status).toBe(200);
  });

  it('begins anew with each window', async () => {
    await start();
    await times(size + 1, '/v4/runs');
    started.clock.advance(windowMs - 1500 - 1);
    expect(await send('/v4/runs')).toEqual({ ...refused, rate: ['10', '0', '1', '5'] });
    started.clock.advance(1);
    expect(await send('/v4/runs')).toMatchObject({ status: 200, rate: ['10', '9', '5', null] });
  });

  it('lets a client that waits ask on: polls count apart, twice for each session that may live', async () => {
    await start({ activeSessionsMax: 3 });
    await times(size + 1, '/v4/runs');
    const nobody = '/v4/sessions/3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect(await send(nobody)).toMatchObject({ status: 404, rate: ['30', '29', '4', null] });
    expect(await send(nobody.replace('v4', 'v3'))).toEqual(refused);
    await times(29, nobody);
    expect(await send(nobody)).toMatchObject({ status: 429, body: { limit_rps: 6 } });
  });

  it('refuses before anything is read or done, in every operation', async () => {
    await start();
    await times(size, '/v4/runs');
    await times(2 * 5 * 25, '/v4/sessions/none');
    const statuses = operations.map(async ({ version, method, path }) => {
      const body = method === 'get' || method === 'delete' ? {} : { body: '{"task": 1' };
      const { status } = await send(`/${version}${path.replaceAll(/\{\w+\}/g, 'none')}`, {
        method: method.toUpperCase(),
        ...body,
      });
      return status;
    });
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([429]));
  });

  it('slows down a client that guesses keys, and no client with a key used before', async () => {
    await start();
    expect((await send('/v4/runs')).status).toBe(200);
    await times(size, '/v4/runs', { key: 'svc_guess' });
    expect(await send('/v4/runs', { key: 'svc_guess' })).toEqual(refused);
    expect((await send('/v4/runs')).status).toBe(200);
    // A refusal does not reveal whether the key is valid.
    expect(await send('/v4/runs', { key: otherKey })).toEqual(refused);
    started.clock.advance(windowMs);
    expect((await send('/v4/runs', { key: otherKey })).status).toBe(200);
  });

  it('counts what has no operation with its address', async () => {
    await start();
    await times(size, '/v4/no-such-route');
    expect(await send('/v4/runs', { key: null })).toEqual(refused);
  });

  it('is that of the project where it has one of its own, also where the service has none', async () => {
    started = await startBackend({ clock: createFrozenClock(startMs), activeSessionsMax: 3 });
    const { id } = await started.backend.db.selectFrom('projects').select('id').orderBy('id').executeTakeFirstOrThrow();
    const projects = createProjects(started.backend.db);
    await projects.change(id, { requestsPerSecond: 1, sessionsMax: 7 });
    const [mine, others] = (await send('/v4/runs')).rate[0] === null ? [otherKey, testKey] : [testKey, otherKey];
    started.clock.advance(windowMs);
    await times(5, '/v4/runs', { key: mine });
    expect(await send('/v4/runs', { key: mine })).toMatchObject({ status: 429, body: { limit_rps: 1 } });
    expect((await send('/v4/runs', { key: others })).rate).toEqual([null, null, null, null]);
    expect((await send('/v4/runs', { key: null })).rate).toEqual([null, null, null, null]);
    const nobody = '/v4/sessions/3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect((await send(nobody, { key: mine })).rate[0]).toBe('70');
    await projects.change(id, { requestsPerSecond: 3 });
    expect(await send('/v4/runs', { key: mine })).toMatchObject({ status: 200, rate: ['15', '8', '4', null] });
    await projects.change(id, { requestsPerSecond: null });
    expect((await send('/v4/runs', { key: mine })).rate).toEqual([null, null, null, null]);
  });

  it('counts what is refused while the service ends for the project, and says so itself', async () => {
    await start();
    expect((await send('/v4/runs')).rate[1]).toBe('9');
    await started.backend.drain(0);
    await times(size, '/v4/runs', { key: 'svc_guess' });
    const task = { method: 'POST', body: '{"task":"x"}' };
    expect(await send('/v4/runs', task)).toMatchObject({ status: 503, rate: ['10', '8', '4', '1'] });
    expect(await send('/v4/runs', { ...task, key: null })).toMatchObject({ status: 429 });
  });

  it('does not read the body of what it refuses', async () => {
    await start();
    await times(size, '/v4/runs');
    const url = new URL(`${started.address}/api/v4/runs`);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: { 'x-service-api-key': testKey, 'content-length': 1000 } });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(429);
  });
});
