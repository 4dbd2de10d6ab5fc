import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientFault, ServiceError, WaitTimeout, createClient } from '../../src/client/index.ts';
import { type StartedBackend, startBackend, testKey } from '../support/start-backend.ts';
import { type RecordedFetch, recordedFetch } from './recorded-fetch.ts';

/**
 * This file tests the client for partners: whether it keeps the contract's rules for client libraries, and how it waits
 * and reports errors against the reference.
 */

const baseUrl = 'https://api.example.com/';
const json =
  (body: unknown, init: ResponseInit = {}) =>
  (): Response =>
    Response.json(body, init);
const run = { task: 'x', model: 'gpt-5.6-luna' } as const;

/**
 * Creates a client whose `fetch` returns the listed responses. Records the client's requests and pauses. The pauses
 * take no time.
 */
function alone(answers: readonly (() => Response)[], options: { retries?: number } = {}) {
  const recorded: RecordedFetch = recordedFetch(answers);
  const pauses: number[] = [];
  const pause = async (ms: number): Promise<void> => void pauses.push(ms);
  const client = createClient({ baseUrl, apiKey: 'svc_mine', fetch: recorded.fetch, pause, ...options });
  return { ...client, ...recorded, pauses };
}

type Alone = ReturnType<typeof alone>;

/** Returns the error with which a call rejects; for a call that resolves, an error that says so. */
async function fault(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('it resolved'),
    (error: unknown) => error,
  );
}

describe('the key', () => {
  const before = process.env['SERVICE_API_KEY'];
  afterEach(() => {
    if (before === undefined) delete process.env['SERVICE_API_KEY'];
    else process.env['SERVICE_API_KEY'] = before;
  });

  it.each([
    { name: 'passed', environment: 'svc_theirs', passed: { apiKey: 'svc_mine' }, want: 'svc_mine' },
    { name: 'of SERVICE_API_KEY where none is passed', environment: 'svc_theirs', passed: {}, want: 'svc_theirs' },
  ])('is the key $name, in every generation (AUTH-07)', async ({ environment, passed, want }) => {
    process.env['SERVICE_API_KEY'] = environment;
    const { asked, fetch } = recordedFetch([json({})]);
    const { v2, v3, v4 } = createClient({ baseUrl, fetch, ...passed });
    await v2.GET('/tasks');
    await v3.GET('/sessions');
    await v4.GET('/runs');
    expect(asked.map(({ address, headers }) => [address, headers.get('x-service-api-key')])).toEqual([
      ['https://api.example.com/api/v2/tasks', want],
      ['https://api.example.com/api/v3/sessions', want],
      ['https://api.example.com/api/v4/runs', want],
    ]);
  });

  it.each(['', undefined])('is required: %o in the environment is no key', (environment) => {
    if (environment === undefined) delete process.env['SERVICE_API_KEY'];
    else process.env['SERVICE_API_KEY'] = environment;
    expect(() => createClient({ baseUrl })).toThrow(ClientFault);
    expect(() => createClient({ baseUrl })).toThrow('SERVICE_API_KEY');
  });
});

describe('browserSettings of a run (VER-15, VER-16)', () => {
  it.each([{}, { screenWidth: 800 }, { proxyCountryCode: undefined }])(
    '%j names no country: nothing is sent',
    async (browserSettings) => {
      const { v4, asked } = alone([json({})]);
      // A program without types can pass this value too.
      const body = { ...run, browserSettings } as unknown as typeof run;
      expect(await fault(v4.POST('/runs', { body }))).toBeInstanceOf(ClientFault);
      expect(asked).toEqual([]);
    },
  );

  it.each([{ proxyCountryCode: 'us' }, { proxyCountryCode: null }] as const)(
    '%j is sent as it is',
    async (browserSettings) => {
      const { v4, asked } = alone([json({})]);
      await v4.POST('/runs', { body: { ...run, browserSettings } });
      expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ ...run, browserSettings });
    },
  );
});

describe('what the interface carries is passed on (VER-12, VER-14)', () => {
  it('modelParams, thinkingLevel and a model that the client does not know', async () => {
    const { v2, v3, v4, asked } = alone([json({})]);
    const bodies = {
      v2: { task: 'x', thinkingLevel: 'low' },
      v3: { task: 'x', thinkingLevel: null },
      v4: { task: 'x', model: 'gpt-9', modelParams: { reasoning: { effort: 'low' } } },
    } as const;
    await v2.POST('/tasks', { body: bodies.v2 });
    await v3.POST('/sessions', { body: bodies.v3 });
    await v4.POST('/runs', { body: bodies.v4 });
    expect(asked.map(({ body }) => JSON.parse(body))).toEqual(Object.values(bodies));
  });
});

describe('a wait', () => {
  const minute = { timeoutMs: 60_000 };
  const waits = [
    {
      version: 'v2',
      live: ['created', 'started'],
      ends: ['finished', 'failed', 'stopped'],
      wait: ({ v2 }: Alone) => v2.waitForTask('1', minute),
    },
    {
      version: 'v3',
      live: ['created', 'running'],
      // A session that is idle has no task any more.
      ends: ['idle', 'stopped', 'timed_out', 'error'],
      wait: ({ v3 }: Alone) => v3.waitForSession('1', minute),
    },
    {
      version: 'v4',
      live: ['queued', 'dispatching', 'running'],
      ends: ['completed', 'failed', 'cancelled'],
      wait: ({ v4 }: Alone) => v4.waitForRun('1', minute),
    },
  ];

  it.each(waits)('of $version ends at $ends and at nothing before', async ({ live, ends, wait }) => {
    for (const end of ends) {
      const client = alone([...live, end].map((status) => json({ status })));
      expect(await wait(client)).toEqual({ status: end });
      expect(client.pauses).toEqual(live.map(() => 2_000));
    }
  });

  it.each(waits)('of $version ends after its time, and says that the work goes on', async ({ live, wait }) => {
    const client = alone([json({ status: live[0] })]);
    const error = await fault(wait(client));
    expect(error).toBeInstanceOf(WaitTimeout);
    expect(String(error)).toMatch(new RegExp(`1 is ${live[0]} after 60000 ms and goes on`));
  });

  it('ends when its signal aborts', async () => {
    const client = alone([json({ status: 'running' })]);
    const reason = new Error('enough');
    expect(await fault(client.v4.waitForRun('1', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe('429', () => {
  it('is sent again three times, later and later, with the same body', async () => {
    const client = alone([json({ detail: 'too many' }, { status: 429 })]);
    expect(await fault(client.v4.POST('/runs', { body: run }))).toMatchObject({ status: 429 });
    expect(client.pauses).toEqual([1_000, 2_000, 4_000]);
    expect(client.asked.map(({ body }) => JSON.parse(body))).toEqual([run, run, run, run]);
  });

  it.each([
    { asked: '3', want: 3_000 },
    { asked: '60', want: 60_000 },
    { asked: 'soon', want: 1_000 },
  ])('with Retry-After $asked waits $want ms', async ({ asked, want }) => {
    const refusal = json({}, { status: 429, headers: { 'retry-after': asked } });
    const client = alone([refusal, json({ id: 'r' })]);
    expect(await client.v4.POST('/runs', { body: run })).toEqual({ id: 'r' });
    expect(client.pauses).toEqual([want]);
  });

  it('that asks for a wait of more than a minute is not sent again', async () => {
    const client = alone([json({}, { status: 429, headers: { 'retry-after': '61' } })]);
    expect(await fault(client.v4.POST('/runs', { body: run }))).toMatchObject({ status: 429 });
    expect(client.pauses).toEqual([]);
  });

  it.each([500, 502, 503, 408])('is the only such status: %i is not', async (status) => {
    const client = alone([json({}, { status })]);
    expect(await fault(client.v4.POST('/runs', { body: run }))).toMatchObject({ status });
    expect(client.asked).toHaveLength(1);
  });
});

describe('an error of something on the way', () => {
  it('that is no JSON keeps its text', async () => {
    const page = '<html>Bad Gateway</html>';
    const error = await fault(alone([() => new Response(page, { status: 502 })]).v4.GET('/runs'));
    expect(error).toMatchObject({ status: 502, code: null, requestId: null, body: page, message: `502 ${page}` });
  });

  it('without a body says its status', async () => {
    const error = await fault(alone([() => new Response(null, { status: 504 })]).v4.GET('/runs'));
    expect(error).toMatchObject({ status: 504, message: '504' });
  });
});

describe('against the reference', () => {
  let started: StartedBackend;
  beforeAll(async () => {
    started = await startBackend();
  });
  afterAll(() => started.stop());
  const client = (apiKey = testKey) => createClient({ baseUrl: started.address, apiKey });
  const soon = { intervalMs: 5, timeoutMs: 20_000 };

  it('a task, a session and a run are created, waited for and read', async () => {
    const { v2, v3, v4 } = client();
    const task = 'svc-test: succeed';
    const made = await v2.POST('/tasks', { body: { task } });
    expect(await v2.waitForTask(made.id, soon)).toMatchObject({ status: 'finished', isSuccess: true });
    const session = await v3.POST('/sessions', { body: { task, model: 'svc-max', keepAlive: true } });
    expect(await v3.waitForSession(session.id, soon)).toMatchObject({ status: 'idle', isTaskSuccessful: true });
    expect(
      await v3.POST('/sessions/{session_id}/stop', { params: { path: { session_id: session.id } } }),
    ).toMatchObject({
      status: 'stopped',
    });
    const { id } = await v4.POST('/runs', { body: { task, model: 'gpt-5.6-luna' } });
    expect(await v4.waitForRun(id, soon)).toMatchObject({ status: 'completed', result: task });
  });

  it('a success without a body is nothing', async () => {
    const { v2 } = client();
    const { id } = await v2.POST('/sessions', { body: {} });
    expect(await v2.DELETE('/sessions/{session_id}', { params: { path: { session_id: id } } })).toBeUndefined();
  });

  it('a refusal carries status, code, request id and the words of the service', async () => {
    const body = { task: 'x', model: 'gpt-5.6-luna', modelParams: { reasoning: { effort: 'huge' } } } as const;
    const error = await fault(client().v4.POST('/runs', { body }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      status: 422,
      code: 'value_error',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      message: expect.stringContaining(
        'Model "gpt-5.6-luna" does not support modelParams.reasoning.effort=\'huge\'. Supported values: high, low,',
      ),
      body: { detail: [expect.objectContaining({ type: 'value_error' })] },
    });
  });

  it('a wrong key and a strange id are told apart', async () => {
    expect(await fault(client('svc_wrong').v4.GET('/runs'))).toMatchObject({ status: 401, code: null });
    const params = { path: { run_id: '00000000-0000-4000-8000-000000000000' } };
    expect(await fault(client().v4.GET('/runs/{run_id}', { params }))).toMatchObject({
      status: 404,
      message: '404 Run not found',
    });
  });
});
