import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { mock as rows } from '#generated/rules.ts';
import type { StartedMock } from '../src/cli/mock/mock-flags.ts';
import { startStateful } from '../src/cli/mock/open-stateful.ts';
import { startStateless } from '../src/cli/mock/start-stateless.ts';

/**
 * This file tests that the header Prefer, with which a client asks for a documented answer, has no effect on either
 * mock.
 */

const apiKey = 'svc_mock';
const usual = {
  port: 0,
  host: '127.0.0.1',
  apiKey,
  seed: 1,
  latencyMs: null,
  faultRate: 0,
  logLevel: 'silent',
} as const;
const mocks = new Map<string, StartedMock>();

beforeAll(async () => {
  mocks.set('stateless', await startStateless({ ...usual, dynamic: false }));
  mocks.set('stateful', await startStateful({ ...usual, speed: 100, sessionsMax: 25, control: null }));
});
afterAll(async () => {
  for (const mock of mocks.values()) await mock.close();
});

describe.each(['stateless', 'stateful'])('the %s mock', (kind) => {
  const address = (): string => mocks.get(kind)?.address ?? '';
  const send = (path: string, { prefer, body, key = apiKey }: { prefer: string; body?: object; key?: string }) =>
    fetch(`${address()}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-service-api-key': key, 'content-type': 'application/json', prefer },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it('answers the preferred status and example, and creates nothing', async () => {
    const before = await (await send('/api/v4/runs', { prefer: 'x=1' })).json();
    const refused = await send('/api/v4/runs', { prefer: 'code=402', body: { task: 'x' } });
    expect(refused.status).toBe(402);
    const named = await send('/api/v4/runs', { prefer: 'code=429, example=too_many_sessions', body: { task: 'x' } });
    expect([named.status, JSON.stringify(await named.json())]).toEqual([429, expect.stringContaining('Too many')]);
    const running = await send(`/api/v4/runs/${rows.ids[3].values[0]}/status`, { prefer: 'example=running' });
    expect([running.status, await running.json()]).toEqual([200, { status: 'running' }]);
    expect(await (await send('/api/v4/runs', { prefer: 'x=1' })).json()).toEqual(before);
  });

  it('answers every documented 429 with Retry-After', async () => {
    for (const { version, id, path } of operations.filter(({ method, body }) => method === 'get' && body === 'none')) {
      const known = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
        const row = rows.ids.find((one) => one.parameter === name && (one.operation ?? id) === id);
        return row?.values[0] ?? 'x';
      });
      const answer = await send(`/api/${version}${known}`, { prefer: 'code=429' });
      expect([id, answer.status, Number(answer.headers.get('retry-after')) >= 1]).toEqual([id, 429, true]);
    }
  });

  it('refuses an invalid request, a wrong key and an unknown preference as without the header', async () => {
    expect((await send('/api/v4/runs', { prefer: 'code=200', body: {} })).status).toBe(422);
    expect((await send('/api/v4/runs', { prefer: 'code=429', body: { task: 'x' }, key: 'svc_other' })).status).toBe(
      401,
    );
    expect((await send('/api/v4/runs', { prefer: 'code=418', body: { task: 'x' } })).status).toBe(422);
    expect((await send('/api/v4/runs', { prefer: 'example=none', body: { task: 'x' } })).status).toBe(422);
  });
});
