import * as fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '#generated/operations.ts';
import { mock as rows } from '#generated/rules.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { createMock } from './create-mock.ts';
import type { MockServer } from './mock-server.ts';

const silent = pino({ level: 'silent' });
const apiKey = 'svc_test';
const id = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';
const withKey = { 'x-service-api-key': apiKey };
const json = { ...withKey, 'content-type': 'application/json' };
const upload = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 };
const bodies: Readonly<Record<string, object>> = {
  updateTask: { action: 'stop' },
  createTask: { task: 'x' },
  createSession: { task: 'x' },
  createRun: { task: 'x' },
  createBrowser: {},
  stopBrowser: { action: 'stop' },
  updateSession: { action: 'stop', title: null },
  createMessage: { text: 'x' },
  updateWorkspace: { name: 'desk' },
  uploadWorkspaceFiles: { files: [{ name: 'a.txt', size: 1 }] },
  updateProfile: { name: 'x' },
  createSessionUpload: upload,
  createBrowserUpload: upload,
};

/** Returns the path of an operation, with ids that the examples of the documents contain. */
function knownPath({ id: operation, path }: { readonly id: string; readonly path: string }): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const row = rows.ids.find((one) => one.parameter === name && (one.operation ?? operation) === operation);
    return row?.values[0] ?? 'x';
  });
}

/** Required queries by operation. */
const queries: Readonly<Record<string, string>> = { deleteWorkspaceFile: '?path=a.txt' };

let mock: MockServer;
beforeAll(async () => {
  mock = await createMock({ apiKey, log: silent });
});
afterAll(() => mock.close());

interface Sent {
  readonly headers?: Record<string, string>;
  /** Request body: an object is sent as JSON, a text unchanged. */
  readonly body?: string | object;
  /** The mock that receives the request. @defaultValue the mock that all tests share */
  readonly to?: MockServer;
}

interface Answered {
  readonly status: number;
  /** Parsed body of the response; undefined if it is empty or no JSON object. */
  readonly body: JsonObject | undefined;
}

async function send(method: string, url: string, { headers = json, body, to = mock }: Sent = {}): Promise<Answered> {
  const payload = body === undefined ? {} : { payload: body };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- inject is typed for the usual methods only; the server has to cope with any
  const answer = await to.inject({ method: method as 'GET', url, headers, ...payload });
  const parsed: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
  return { status: answer.statusCode, body: isJsonObject(parsed) ? parsed : undefined };
}

describe('every operation', () => {
  test.each(operations)(
    '$id answers its first example',
    async ({ id: operation, method, version, path, successStatus }) => {
      const url = `/api/${version}${knownPath({ id: operation, path })}${queries[operation] ?? ''}`;
      const body = bodies[operation];
      const answer = await send(method.toUpperCase(), url, body === undefined ? { headers: withKey } : { body });
      expect(answer.status).toBe(successStatus);
      expect(answer.body === undefined).toBe(successStatus === 204);
    },
  );

  test.each(operations)(
    '$id refuses a call without its key and one with a wrong key',
    async ({ method, version, path }) => {
      const url = `/api/${version}${path.replace('{message_id}', '7').replaceAll(/\{\w+\}/g, id)}`;
      for (const headers of [{}, { 'x-service-api-key': 'svc_other' }, { 'x-service-api-key': '' }]) {
        const answer = await send(method.toUpperCase(), url, { headers });
        expect(answer).toMatchObject({
          status: 401,
          body: { detail: 'Expected a valid API key in the header X-Service-API-Key' },
        });
      }
    },
  );

  test.each(operations)('serves $id in its own API version only', async ({ method, version, path }) => {
    for (const other of ['v2', 'v3', 'v4', 'v5'].filter((candidate) => candidate !== version)) {
      const known = operations.some((row) => row.version === other && row.path === path);
      if (known) continue;
      const answer = await send(method.toUpperCase(), `/api/${other}${path.replaceAll(/\{\w+\}/g, id)}`);
      expect(answer).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    }
  });
});

describe('refusals', () => {
  test.each([
    { name: 'malformed JSON', body: '{"task":', detail: { loc: ['body'], type: 'json_invalid' } },
    { name: 'no body', body: '', detail: { loc: ['body'], type: 'missing' } },
    { name: 'a body that is a list', body: '[]', detail: { loc: ['body'], type: 'type_error' } },
    {
      name: 'a missing task',
      body: '{}',
      url: '/api/v4/runs',
      detail: { loc: ['body', 'task'], msg: 'Field required', type: 'missing' },
    },
    {
      name: 'a task that is a number',
      body: '{"task":1}',
      detail: { loc: ['body', 'task'], msg: 'Expected string or null, found 1', type: 'type_error' },
    },
    {
      name: 'an unknown country',
      body: '{"proxyCountryCode":"xx"}',
      detail: { loc: ['body', 'proxyCountryCode'], type: 'enum' },
    },
    {
      name: 'a pair that V3 does not support',
      body: '{"task":"x","model":"minimax-m3","thinkingLevel":"low"}',
      detail: {
        loc: ['body', 'thinkingLevel'],
        msg: 'Model "minimax-m3" (provider "minimax") does not support thinking_level="low". Supported values: ',
      },
    },
    {
      name: 'a pair that V2 does not support',
      url: '/api/v2/tasks',
      body: '{"task":"x","llm":"gemini-2.5-pro","thinkingLevel":"disabled"}',
      detail: {
        loc: ['body', 'thinkingLevel'],
        msg: 'Model "gemini-2.5-pro" (provider "google") does not support thinking_level="disabled". Supported values: low, medium, high',
      },
    },
    {
      name: 'modelParams that V4 does not support',
      url: '/api/v4/runs',
      body: '{"task":"x","model":"gpt-5.5","modelParams":{"reasoning":{"effort":"max"}}}',
      detail: {
        loc: ['body', 'modelParams', 'reasoning', 'effort'],
        msg: `Model "gpt-5.5" does not support modelParams.reasoning.effort='max'. Supported values: high, low, medium, none, xhigh`,
      },
    },
    {
      name: 'a model that needs the own key',
      body: '{"task":"x","model":"gpt-5.2"}',
      detail: { loc: ['body', 'useOwnKey'] },
    },
  ])('rejects $name with 422', async ({ body, url, detail }) => {
    const answer = await send('POST', url ?? '/api/v3/sessions', { body });
    expect(answer.status).toBe(422);
    expect(answer.body?.['detail']).toMatchObject([detail]);
  });

  test.each(['text/plain', 'application/xml', 'application/jsonp', ';;;', 'application/x-www-form-urlencoded'])(
    'the content type %s is 422',
    async (type) => {
      const answer = await send('POST', '/api/v3/sessions', {
        headers: { ...withKey, 'content-type': type },
        body: '{"task":"x"}',
      });
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'], type: 'content_type' }] } });
    },
  );

  test('rejects a body over the limit with 413, also in chunks over a real connection', async () => {
    const address = await mock.listen(0, '127.0.0.1');
    const body = JSON.stringify({ task: 'x'.repeat(3_000_000) });
    const pieces = new Blob([body]).stream();
    const requests = [
      fetch(`${address}/api/v3/sessions`, { method: 'POST', headers: json, body }),
      fetch(`${address}/api/v3/sessions`, { method: 'POST', headers: json, body: pieces, duplex: 'half' }),
    ];
    for (const answer of await Promise.all(requests)) {
      expect(answer.status).toBe(413);
      expect(await answer.json()).toEqual({ detail: 'The body is larger than 1048576 bytes' });
    }
  });

  test('rejects an invalid path parameter with 422 and its location', async () => {
    const answer = await send('GET', '/api/v3/sessions/not-a-uuid');
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'session_id'], msg: 'Expected a uuid, found "not-a-uuid"' }] },
    });
    expect((await send('GET', '/api/v3/sessions/%zz')).status).toBe(422);
  });

  test('rejects an invalid query parameter with 422 and its location', async () => {
    const answer = await send('GET', '/api/v3/sessions?page=0&page_size=x');
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'page'] }, { loc: ['query', 'page_size'] }] },
    });
  });

  test('rejects another method of a known path with 405', async () => {
    for (const method of ['PUT', 'OPTIONS', 'PATCH', 'TRACE'])
      expect((await send(method, '/api/v3/sessions')).status).toBe(405);
  });

  test('answers HEAD like GET, without the body', async () => {
    const answer = await send('HEAD', `/api/v3/sessions/${id}`);
    expect(answer).toMatchObject({ status: 200, body: undefined });
    expect((await send('HEAD', `/api/v4/runs/${id}/cancel`)).status).toBe(405);
  });

  test('accepts any pair of model and level in a V3 follow-up, which depends on the session', async () => {
    const body = { sessionId: id, task: 'x', model: 'minimax-m3', thinkingLevel: 'low' };
    expect((await send('POST', '/api/v3/sessions', { body })).status).toBe(200);
    expect((await send('POST', '/api/v3/sessions', { body: { ...body, sessionId: null } })).status).toBe(422);
  });
});

describe('Prefer', () => {
  const ask = (prefer: string, url = '/api/v3/sessions', body: object = { task: 'x' }) =>
    send('POST', url, { headers: { ...json, prefer }, body });

  test('selects a documented response by code and example', async () => {
    expect(await ask('code=429')).toMatchObject({ status: 429, body: { detail: expect.any(String) } });
    expect(await ask('code=404, example=session_not_found')).toMatchObject({
      status: 404,
      body: { detail: 'Session not found' },
    });
    expect(await ask('example="running"')).toMatchObject({ status: 200, body: { status: 'running' } });
  });

  test('rejects an unknown code, example or switch with 422 and lists the valid ones', async () => {
    expect((await ask('code=418')).body?.['detail']).toMatchObject([
      { loc: ['header', 'Prefer', 'code'], msg: expect.stringContaining('"200", "400", "401"') },
    ]);
    expect((await ask('example=nope')).body?.['detail']).toMatchObject([
      { loc: ['header', 'Prefer', 'example'], msg: expect.stringContaining('"running"') },
    ]);
    expect((await ask('dynamic=perhaps')).status).toBe(422);
  });

  test('generates responses that match their schema and repeat with a seed', async () => {
    const [first, again, other] = [
      await ask('dynamic=true, seed=7'),
      await ask('dynamic=true, seed=7'),
      await ask('dynamic=true, seed=8'),
    ];
    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(other.body).not.toEqual(first.body);
    expect(await ask('dynamic=true', '/api/v4/browsers', {})).toMatchObject({
      status: 201,
      body: { cdpUrl: expect.any(String) },
    });
  });

  test('generates documented members only', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { body } = await ask(`code=409, dynamic=true, seed=${seed}`);
      expect(Object.keys(body ?? {})).toEqual(['detail']);
    }
  });

  test('does not override the refusal of an invalid request', async () => {
    expect((await ask('code=200', '/api/v4/runs', {})).status).toBe(422);
  });
});

describe('options', () => {
  test('repeats faults and generated responses with a seed', async () => {
    const run = async () => {
      const faulty = await createMock({ apiKey, seed: 5, dynamic: true, faultRate: 0.5, log: silent });
      const answers = [];
      for (let index = 0; index < 10; index += 1)
        answers.push(await send('POST', '/api/v4/runs', { body: { task: 'x' }, to: faulty }));
      await faulty.close();
      return answers.map(({ status, body }) => (status === 500 ? status : body));
    };
    const [first, second] = [await run(), await run()];
    expect(second).toEqual(first);
    expect(first).toContain(500);
    expect(first.some((answer) => answer !== 500)).toBe(true);
  });

  test('delays responses but not the shutdown', async () => {
    const slow = await createMock({ apiKey, latencyMs: [60, 80], log: silent });
    const started = performance.now();
    await send('GET', '/nope', { to: slow });
    expect(performance.now() - started).toBeGreaterThan(55);
    await slow.close();
    const slower = await createMock({ apiKey, latencyMs: [60_000, 60_000], log: silent });
    const address = await slower.listen(0, '127.0.0.1');
    const waiting = fetch(`${address}/nope`).catch(() => 'closed');
    await new Promise((done) => setTimeout(done, 50));
    await slower.close();
    await waiting;
  });

  test('follows the rule book: a changed row makes a broken mock', async () => {
    const v3 = defaultRules.thinkingLevels.v3.map((row) =>
      row.model === 'minimax-m3' ? { ...row, levels: ['low'] } : row,
    );
    const rules: RuleBook = { ...defaultRules, thinkingLevels: { ...defaultRules.thinkingLevels, v3 } };
    const broken = await createMock({ apiKey, rules, log: silent });
    const body = { task: 'x', model: 'minimax-m3', thinkingLevel: 'low' };
    expect((await send('POST', '/api/v3/sessions', { body, to: broken })).status).toBe(200);
    await broken.close();
  });
});

describe('a random request', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'task',
      'model',
      'llm',
      'thinkingLevel',
      'modelParams',
      'sessionId',
      'maxCostUsd',
      '__proto__',
      'kind',
      'code',
      'minimax-m3',
      'low',
    ),
  );
  const value = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, fc.jsonValue(), word, fc.array(tie('node')), fc.dictionary(word, tie('node'))),
  })).node;
  const path = fc.oneof(
    fc.constantFrom(...operations.map((row) => `/api/${row.version}${row.path.replaceAll(/\{\w+\}/g, id)}`)),
    fc.webPath().map((text) => `/api/v3/sessions/${text}`),
    // The page at `/` is no operation.
    fc
      .webPath()
      .map((text) => `/${text}`)
      .filter((text) => text !== '/'),
  );

  test('gets a status below 500, with a detail when it is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT'),
        fc.oneof(
          value.map((given) => JSON.stringify(given) ?? ''),
          fc.string(),
        ),
        async (url, method, body) => {
          const answer = await send(method, url, { body });
          expect(answer.status).toBeLessThan(500);
          if (answer.status < 400 || method === 'HEAD') return;
          if (answer.status === 422)
            expect(answer.body?.['detail']).toEqual(
              expect.arrayContaining([{ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) }]),
            );
          else expect(answer.body?.['detail']).toEqual(expect.any(String));
        },
      ),
      { numRuns: 600 },
    );
  });

  test('with a random Prefer header gets a status below 500', async () => {
    const prefer = fc.array(
      fc.tuple(
        fc.constantFrom('code', 'example', 'dynamic', 'seed', 'x'),
        fc.oneof(fc.constantFrom('200', '404', 'true', 'running'), fc.string({ unit: 'grapheme-ascii' })),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(prefer, async (pairs) => {
        const header = pairs.map(([name, given]) => `${name}=${given}`).join(', ');
        const answer = await send('POST', '/api/v3/sessions', {
          headers: { ...json, prefer: header },
          body: { task: 'x' },
        });
        expect(answer.status).toBeLessThan(500);
      }),
    );
  });

  test('of a hostile size gets a response within a second', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const hostile = [
      { url: '/api/v4/runs', body: `{"task":"x","modelParams":${deep}}` },
      { url: '/api/v3/sessions', body: `{"maxCostUsd":"${'0'.repeat(50_000)}x"}` },
      { url: '/api/v3/sessions', body: '['.repeat(1_000_000) },
      { url: '/api/v3/sessions', body: `{"task":${deep}}` },
    ];
    for (const { url, body } of hostile) {
      const before = process.threadCpuUsage().user;
      expect((await send('POST', url, { body })).status).toBe(422);
      // Processor time in microseconds, which other load on the machine does not increase.
      expect(process.threadCpuUsage().user - before).toBeLessThan(1_000_000);
    }
  });
});
