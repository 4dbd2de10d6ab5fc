import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/** Requests in all; the seed is printed by fast-check when one fails, and SVC_SEED replays it. */
const runs = 10_000;
const seed = Number(process.env['SVC_SEED'] ?? 20_261_120);

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload: string | undefined;
}

const idArbitrary = fc.oneof(
  fc.uuid(),
  fc.constant('known'),
  fc.string().map((text) => encodeURIComponent(text) || '-'),
  fc.constantFrom('%', '%zz', '..', '0', 'null', 'a'.repeat(300)),
);

const names = [
  'task',
  'model',
  'sessionId',
  'thinkingLevel',
  'useOwnKey',
  'keepAlive',
  'codeMode',
  'outputSchema',
  'enableRecording',
  'maxCostUsd',
  'proxyCountryCode',
  'inbox',
  'browserScreenWidth',
  'browserScreenHeight',
  'profileId',
  'strategy',
];
const values = fc.oneof(
  fc.constantFrom<unknown>(
    'svc-mini',
    'gpt-5-mini',
    'minimax-m3',
    'claude-opus-4.7',
    'low',
    'disabled',
    'us',
    'US',
    true,
    null,
    '0.5',
    '-1',
    '.',
    0,
    -1,
    1e308,
    '',
    'session',
    'task',
    'svc-test: succeed',
    {},
    { type: 'object' },
    { $ref: '#/nowhere' },
    { type: 7 },
    1024,
  ),
  fc.uuid(),
  fc.jsonValue({ maxDepth: 3 }),
);
const followUpArbitrary = fc.record(
  {
    sessionId: fc.constant('known'),
    task: fc.string(),
    thinkingLevel: fc.constantFrom('low', 'high', null, 'ultra'),
    keepAlive: fc.boolean(),
  },
  { requiredKeys: ['sessionId', 'task'] },
);
const bodyArbitrary = fc.oneof(
  { weight: 2, arbitrary: followUpArbitrary.map((body) => JSON.stringify(body)) },
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.string()), values, { maxKeys: 6 })
      .map((body) => JSON.stringify(body)),
  },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constantFrom('{"task":', '\u0000', '[', '{"a":1}}', 'nul', '"\\ud800"') },
);

// The reference serves V3 so far; the operations of the other generations are unknown paths to it.
const served = operations.filter((operation) => operation.version === 'v3');

const requestArbitrary: fc.Arbitrary<Sent> = fc
  .record({
    operation: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...served) },
      { weight: 1, arbitrary: fc.constantFrom(...operations) },
    ),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS') },
    ),
    id: idArbitrary,
    query: fc.oneof(
      { weight: 4, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.webQueryParameters().map((text) => `?${text}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('?page=0', '?page=2&page_size=100', '?page_size=101', '?page=x', '?page=1&page=2'),
      },
    ),
    key: fc.constantFrom(testKey, testKey, testKey, testKey, 'svc_wrong', ''),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/xml',
      '',
    ),
    body: fc.option(bodyArbitrary, { nil: undefined, freq: 6 }),
  })
  .map(({ operation, method, id, query, key, type, body }) => ({
    method: method ?? operation.method.toUpperCase(),
    url: `/api/${operation.version}${operation.path.replace(/\{\w+\}/, id)}${query}`,
    headers: {
      ...(key === '' ? {} : { 'x-service-api-key': key }),
      ...(type === '' || body === undefined ? {} : { 'content-type': type }),
    },
    payload: body,
  }));

describe('the reference under requests of every kind', () => {
  let started: StartedBackend;
  // Sessions that exist, oldest first; a generated "known" stands for the latest of them.
  const known = new Set<string>();
  const latest = (): string => [...known].at(-1) ?? 'known';

  beforeAll(async () => {
    started = await startBackend();
  });
  afterAll(async () => {
    await started.stop();
  });

  const send = async (request: Sent) => {
    const id = latest();
    const url = request.url.replace('/known', `/${id}`);
    const { payload: text, ...rest } = request;
    const payload = text?.replaceAll('"known"', JSON.stringify(id));
    const method = request.method as 'GET';
    return started.backend.app.inject({ ...rest, method, url, ...(payload === undefined ? {} : { payload }) });
  };

  it(`answers ${runs} of them with a documented refusal or success, never 500`, { timeout: 240_000 }, async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(requestArbitrary, async (request) => {
        const response = await send(request);
        seen.set(response.statusCode, (seen.get(response.statusCode) ?? 0) + 1);
        expect([200, 204, 401, 404, 405, 409, 422, 429]).toContain(response.statusCode);
        if (response.statusCode === 422 && request.method !== 'HEAD') expectDetails(response.json());
        if (response.statusCode === 200 && request.method === 'POST') known.add(response.json().id);
        if (response.statusCode === 204) known.delete(latest());
      }),
      { numRuns: runs, seed, endOnFailure: true },
    );
    // A property that never reached an answer of a kind would say nothing about it.
    for (const status of [200, 204, 401, 404, 405, 409, 422])
      expect(seen.get(status) ?? 0, `answers ${status}`).toBeGreaterThan(0);
  });

  it('answers an oversize body with 413', async () => {
    const payload = JSON.stringify({ task: 'x'.repeat(1_100_000) });
    const headers = { 'x-service-api-key': testKey, 'content-type': 'application/json' };
    const response = await started.backend.app.inject({ method: 'POST', url: '/api/v3/sessions', headers, payload });
    expect(response.statusCode).toBe(413);
  });
});

function expectDetails(body: unknown): void {
  expect(body).toEqual({
    detail: expect.arrayContaining([{ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) }]),
  });
}
