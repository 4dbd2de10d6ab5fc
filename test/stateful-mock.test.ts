import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testTasks } from '#generated/rules.ts';
import { createRefusalSwitch } from '#api/control/switches.ts';
import type { RequestContext } from '#operations/common/request-context.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { ValidRequest } from '#api/http/hooks.ts';
import { createRandom } from '#mock/inject-faults.ts';
import type { StartedMock, StatefulOptions } from '../src/cli/mock/mock-flags.ts';
import { startStateful } from '../src/cli/mock/open-stateful.ts';

const apiKey = 'svc_mock';
const usual: StatefulOptions = {
  port: 0,
  host: '127.0.0.1',
  apiKey,
  seed: 7,
  speed: 50,
  sessionsMax: 25,
  latencyMs: null,
  faultRate: 0,
  logLevel: 'silent',
  control: { host: '127.0.0.1', port: 0 },
};

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

async function send(address: string, call: string, body?: object): Promise<Answered> {
  const [method = '', path = ''] = call.split(' ');
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { 'x-service-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const read: unknown = await response.json();
  return { status: response.status, headers: response.headers, body: isJsonObject(read) ? read : {} };
}

/**
 * Polls a record until `isOver` returns true. Returns the first record of each status in order, but of the final status
 * the last record.
 */
async function follow(address: string, path: string, isOver: (record: JsonObject) => boolean): Promise<JsonObject[]> {
  const seen: JsonObject[] = [];
  for (;;) {
    const { body } = await send(address, `GET ${path}`);
    if (seen.at(-1)?.['status'] !== body['status']) seen.push(body);
    if (isOver(body)) return [...seen.slice(0, -1), body];
  }
}

/** Creates a session, follows it until its task has ended, and returns the last record. */
async function runSession(address: string, wanted: JsonObject): Promise<JsonObject> {
  const { status, body } = await send(address, 'POST /api/v3/sessions', wanted);
  expect(status).toBe(200);
  const states = await follow(address, `/api/v3/sessions/${String(body['id'])}`, hasEnded);
  return states.at(-1) ?? {};
}

const hasEnded = ({ status }: JsonObject): boolean => !['created', 'running'].includes(String(status));

describe('a stateful mock', () => {
  let mock: StartedMock;
  beforeAll(async () => {
    mock = await startStateful(usual);
  });
  afterAll(() => mock.close());

  test('gives any goal an output that fits its schema', async () => {
    const outputSchema = {
      type: 'object',
      required: ['products', 'email'],
      properties: {
        email: { type: 'string', format: 'email' },
        note: { anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] },
        products: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['title', 'price', 'rating'],
            properties: {
              title: { type: 'string' },
              price: { type: 'number', exclusiveMinimum: 20 },
              rating: { type: 'integer', maximum: 5 },
            },
          },
        },
      },
    };
    const session = await runSession(mock.address, { task: 'Buy what is cheap', outputSchema });
    expect(session).toMatchObject({ isTaskSuccessful: true, output: { email: expect.stringContaining('@') } });
    const { products } = session['output'] as { products: { title: string; price: number; rating: number }[] };
    expect(products).toHaveLength(2);
    for (const { title, price, rating } of products) {
      expect(title.length).toBeGreaterThan(2);
      expect(price).toBeGreaterThan(20);
      expect([3, 4, 5]).toContain(rating);
    }
  });

  const courses = [
    { goal: 'succeed', want: { status: 'stopped', isTaskSuccessful: true } },
    { goal: 'fail', want: { status: 'stopped', isTaskSuccessful: false } },
    { goal: 'slow 5', want: { status: 'stopped', isTaskSuccessful: true, stepCount: 5 } },
    { goal: 'exceed-ceiling', with: { maxCostUsd: '0.05' }, want: { status: 'stopped', isTaskSuccessful: false } },
    { goal: 'structured', want: { status: 'stopped', isTaskSuccessful: true, output: { ok: true } } },
    { goal: 'crash', want: { status: 'error', isTaskSuccessful: false } },
  ];

  test.each(courses)('runs the test task $goal', async ({ goal, want, ...more }) => {
    const session = await runSession(mock.address, { task: `svc-test: ${goal}`, ...more.with });
    const isOver = ({ status }: JsonObject): boolean => status === want.status;
    const [last] = (await follow(mock.address, `/api/v3/sessions/${String(session['id'])}`, isOver)).slice(-1);
    expect(last).toMatchObject(want);
  });

  test.each([
    { goal: 'rate-limited 3', refused: [429, 429, 429] },
    { goal: 'rate-limited', refused: [429, 429] },
    { goal: 'server-error', refused: [500] },
  ])('refuses the request of the test task $goal, makes nothing, then goes on', async ({ goal, refused }) => {
    const before = (await send(mock.address, 'GET /api/v4/runs')).body['runs'];
    const ask = (): Promise<Answered> => send(mock.address, 'POST /api/v4/runs', { task: `svc-test: ${goal}` });
    for (const status of refused) {
      const answer = await ask();
      expect(answer.status).toBe(status);
      expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
    }
    expect((await send(mock.address, 'GET /api/v4/runs')).body['runs']).toEqual(before);
    const { status, body } = await ask();
    expect(status).toBe(200);
    const isOver = (run: JsonObject): boolean => run['status'] === 'completed';
    expect((await follow(mock.address, `/api/v4/runs/${String(body['id'])}`, isOver)).length).toBeGreaterThan(0);
  });

  test('knows a course for every documented test task', () => {
    const shown = [...courses.map(({ goal }) => goal.split(' ')[0]), 'rate-limited', 'server-error', 'time-out'];
    expect(new Set(shown)).toEqual(new Set(testTasks.tasks.map(({ name }) => name)));
  });

  test('hands out the address of a browser that says that it is simulated', async () => {
    const { status, body } = await send(mock.address, 'POST /api/v4/browsers', {});
    expect(status).toBe(201);
    const discovery = String(body['cdpUrl']).replace(/^ws/, 'http');
    const version = await fetch(`${discovery}/json/version`);
    expect(await version.json()).toMatchObject({ Browser: 'SimulatedChrome/1.0.0.0' });
    expect((await send(mock.address, `PATCH /api/v4/browsers/${String(body['id'])}`, { action: 'stop' })).status).toBe(
      200,
    );
  });

  test('answers pages of every origin', async () => {
    const asked = {
      origin: 'https://partner.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-service-api-key',
    };
    const preflight = await fetch(`${mock.address}/api/v4/runs`, { method: 'OPTIONS', headers: asked });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'content-type,x-service-api-key',
    ]);
    const refused = await fetch(`${mock.address}/api/v4/runs`, { headers: { origin: 'https://partner.example' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });
});

test('refuses the sandbox that is one too many', async () => {
  const mock = await startStateful({ ...usual, speed: 0.1, sessionsMax: 2 });
  const create = () => send(mock.address, 'POST /api/v3/sessions', { keepAlive: true });
  const answers = [await create(), await create(), await create()];
  await mock.close();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[2]?.body['detail']).toBe('Too many concurrent active sessions: 2 of 2; stop one or wait');
});

describe('the control address', () => {
  let mock: StartedMock;
  const control = (call: string, body?: object): Promise<Answered> => send(mock.controlAddress ?? '', call, body);
  beforeAll(async () => {
    // The mock is so slow that only an advance of the clock changes a state.
    mock = await startStateful({ ...usual, speed: 0.1 });
  });
  afterAll(() => mock.close());

  test('moves a session from its start to its end', async () => {
    const { body } = await send(mock.address, 'POST /api/v3/sessions', { task: 'Find the price of a lamp' });
    const path = `/api/v3/sessions/${String(body['id'])}`;
    await control('POST /clock', { advanceMs: 1_500 });
    const started = await follow(mock.address, path, ({ status }) => status !== 'created');
    expect([body, ...started].map(({ status }) => status)).toEqual(expect.arrayContaining(['created', 'running']));
    expect(started.at(-1)).toMatchObject({ status: 'running', isTaskSuccessful: null, stepCount: 0 });
    while (!hasEnded((await send(mock.address, `GET ${path}`)).body))
      await control('POST /clock', { advanceMs: 1_000 });
    const ended = await send(mock.address, `GET ${path}`);
    expect(ended.body).toMatchObject({
      status: 'stopped',
      isTaskSuccessful: true,
      output: 'Done: Find the price of a lamp',
    });
    expect(Number(ended.body['stepCount'])).toBeGreaterThan(1);
  });

  test('moves the clock past everything that is waited for', async () => {
    const { body } = await send(mock.address, 'POST /api/v3/sessions', { task: 'svc-test: slow 600', keepAlive: true });
    const path = `/api/v3/sessions/${String(body['id'])}`;
    // Each advance of the clock ends one wait: of the sandbox, or of a step.
    while ((await send(mock.address, `GET ${path}`)).body['status'] !== 'idle')
      await control('POST /clock', { advanceMs: 120_000 });
    await control('POST /clock', { advanceMs: 1_000_000 });
    const isOver = ({ status }: JsonObject): boolean => status === 'timed_out';
    expect((await follow(mock.address, path, isOver)).at(-1)).toMatchObject({ isTaskSuccessful: true, stepCount: 5 });
  });

  test('times a kept session out long before its time for the test task time-out', async () => {
    const { body } = await send(mock.address, 'POST /api/v3/sessions', { task: 'svc-test: time-out', keepAlive: true });
    const path = `/api/v3/sessions/${String(body['id'])}`;
    const status = async (): Promise<unknown> => (await send(mock.address, `GET ${path}`)).body['status'];
    // Advances by seconds only, because a session times out after fifteen idle minutes.
    while (['created', 'running'].includes(String(await status()))) await control('POST /clock', { advanceMs: 1_000 });
    const isOver = (record: JsonObject): boolean => record['status'] === 'timed_out';
    expect((await follow(mock.address, path, isOver)).at(-1)).toMatchObject({ isTaskSuccessful: true, stepCount: 1 });
  });

  test('refuses what it is told to, so many times, and says what is left', async () => {
    const refuse = { status: 503, times: 2, operation: 'createRun' };
    expect((await control('POST /faults', { refuse })).body).toEqual({ sandboxStart: null, refuse });
    expect((await send(mock.address, 'GET /api/v4/runs')).status).toBe(200);
    expect((await send(mock.address, 'POST /api/v4/runs', {})).status).toBe(422);
    expect((await send(mock.address, 'POST /api/v4/runs', { task: 'x' })).status).toBe(503);
    expect((await control('GET /state')).body).toMatchObject({ refuse: { ...refuse, times: 1 } });
    expect((await send(mock.address, 'POST /api/v4/runs', { task: 'x' })).status).toBe(503);
    expect((await send(mock.address, 'POST /api/v4/runs', { task: 'x' })).status).toBe(200);
    await control('POST /reset');
  });

  test('lets no sandbox start, where it is told so', async () => {
    await control('POST /faults', { sandboxStart: 'fail' });
    expect(await runSession(mock.address, { task: 'x' })).toMatchObject({ status: 'error' });
    await control('POST /faults', { sandboxStart: null });
  });

  test('forgets everything, and begins with the same names', async () => {
    const first = async (): Promise<unknown> => {
      await control('POST /reset');
      expect((await send(mock.address, 'GET /api/v3/sessions')).body).toMatchObject({ sessions: [], total: 0 });
      return (await send(mock.address, 'POST /api/v3/sessions', { task: 'x' })).body['id'];
    };
    const ids = [await first(), await first()];
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  test.each([
    { name: 'of another origin', headers: { origin: 'https://elsewhere.example' } },
    { name: 'that calls this machine by another name', headers: { host: 'elsewhere.example' } },
  ])('refuses a page $name', async ({ headers }) => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    request(`${mock.controlAddress}/reset`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).end();
    expect(await promise).toBe(403);
  });
});

test('leaves no folder behind, and removes those of mocks that were killed', async () => {
  const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-mock-${process.pid}-`));
  const before = folders();
  const killed = spawnSync(process.execPath, ['--version']).pid;
  const left = join(tmpdir(), `svc-mock-${killed}-3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90`);
  mkdirSync(left);
  const mock = await startStateful({ ...usual, faultRate: 1 });
  expect((await send(mock.address, 'GET /api/v4/runs')).status).toBe(500);
  expect(folders().length).toBe(before.length + 1);
  expect(existsSync(left)).toBe(false);
  await mock.close();
  expect(folders()).toEqual(before);
});

test('refuses a share of the valid requests, the same ones for the same seed', () => {
  const run = (seed: number): boolean[] => {
    const { interrupt } = createRefusalSwitch({ faultRate: 0.5, random: createRandom(seed) });
    const valid = {
      request: { id: '1' },
      route: { id: 'listRuns' },
      parsed: {},
      caller: {},
    } as unknown as ValidRequest<RequestContext>;
    return Array.from({ length: 20 }, () => interrupt(valid) !== null);
  };
  expect(new Set(run(1))).toEqual(new Set([true, false]));
  expect(run(1)).toEqual(run(1));
  expect(run(2)).not.toEqual(run(1));
});
