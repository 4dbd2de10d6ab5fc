import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import type { MockServer } from '../mock-server.ts';
import { createPlayer, createReplay, queryText, readRecording } from './create-replay.ts';

const apiKey = 'svc_mock';
const [one, two, other] = ['1', '2', '9'].map((digit) => `3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b9${digit}`);

interface Recorded {
  readonly call: string;
  readonly body?: JsonObject;
  readonly status?: number;
  readonly answer: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a HAR like those of browsers: header names in any case, and some bodies in base64. */
function createHar(recorded: readonly Recorded[], host = 'https://svc.example/base'): string {
  const entries = recorded.map(({ call, body, status = 200, answer, headers = {} }, index) => {
    const [method, path = ''] = call.split(' ');
    const text = JSON.stringify(answer);
    const encoded = { text: Buffer.from(text).toString('base64'), encoding: 'base64' };
    return {
      request: {
        method,
        url: `${host}${path}`,
        ...(body === undefined ? {} : { postData: { text: JSON.stringify(body) } }),
      },
      response: {
        status,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        content: { mimeType: 'application/json', ...(index % 2 === 0 ? { text } : encoded) },
      },
    };
  });
  return JSON.stringify({ log: { version: '1.2', entries } });
}

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

function play(recorded: readonly Recorded[]): (call: string, body?: object, key?: string) => Promise<unknown[]> {
  const options = { apiKey, seed: 1, latencyMs: [0, 0] as const, faultRate: 0, log: pino({ level: 'silent' }) };
  const started = createReplay({ ...options, calls: readRecording(createHar(recorded)) });
  server = started;
  return async (call, body, key = apiKey) => {
    const [method = '', url = ''] = call.split(' ');
    const headers = { 'content-type': 'application/json', 'x-service-api-key': key };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await started.inject({ method: method as 'GET', url, headers, ...payload });
    return [answer.statusCode, JSON.parse(answer.body)];
  };
}

/** Returns a function that selects the recorded response to a call and returns its body, without a server. */
function player(recorded: readonly Recorded[]): (call: string, body?: JsonObject) => unknown {
  const made = createPlayer(readRecording(createHar(recorded)));
  return (call, body) => {
    const [method = '', url = ''] = call.split(' ');
    const { pathname, searchParams } = new URL(url, 'http://svc.example');
    const template = pathname.replace(/[0-9a-f-]{36}/, '{run_id}');
    const asked = { method, path: pathname, template, query: queryText(searchParams), body };
    return made.answer(asked)?.body;
  };
}

const polls: readonly Recorded[] = [
  { call: 'POST /api/v4/runs', body: { task: 'find a lamp' }, answer: { id: one } },
  { call: 'POST /api/v4/runs', body: { task: 'find a chair', model: 'glm-5.2' }, answer: { id: two } },
  { call: `GET /api/v4/runs/${one}`, answer: { status: 'running' } },
  { call: `GET /api/v4/runs/${two}`, answer: { status: 'failed' } },
  { call: `GET /api/v4/runs/${one}`, answer: { status: 'completed' } },
  { call: 'GET /api/v4/runs?limit=1', answer: { runs: ['short'] } },
  { call: 'GET /api/v4/runs', answer: { runs: ['long'] } },
  { call: 'GET /api/v4/runs', status: 401, answer: { detail: 'No key' } },
  { call: 'GET /favicon.ico', status: 404, answer: '' },
];

describe('a recording', () => {
  test('returns its responses in order, and the last one repeatedly', () => {
    const ask = player(polls);
    const asked = [one, two, one, one, one];
    const want = ['running', 'failed', 'completed', 'completed', 'completed'];
    expect(asked.map((id) => ask(`GET /api/v4/runs/${id}`))).toEqual(want.map((status) => ({ status })));
  });

  test.each([
    { body: { task: 'find a chair', model: 'glm-5.2' }, id: two },
    { body: { task: 'find a sofa', model: 'glm-5.2' }, id: two },
    { body: { task: 'find a lamp' }, id: one },
    { body: { task: 'something else' }, id: one },
  ])('selects the recorded request that is most similar to $body', ({ body, id }) => {
    expect(player(polls)('POST /api/v4/runs', body)).toEqual({ id });
  });

  test('distinguishes queries', () => {
    const ask = player(polls.filter(({ status = 200 }) => status === 200));
    expect(ask('GET /api/v4/runs?limit=1')).toEqual({ runs: ['short'] });
    expect(ask('GET /api/v4/runs')).toEqual({ runs: ['long'] });
  });

  test('returns the same recorded object for an unrecorded id', () => {
    const ask = player(polls);
    const path = `GET /api/v4/runs/${other}`;
    expect([ask(path), ask(path)]).toEqual([{ status: 'running' }, { status: 'completed' }]);
  });

  test('returns the requested page of the same recorded object for an unrecorded id', () => {
    const pages = [one, two].flatMap((id) =>
      ['0', '5'].map((after) => ({ call: `GET /api/v4/runs/${id}/events?after=${after}`, answer: { id, after } })),
    );
    const ask = player(pages);
    const path = `GET /api/v4/runs/${other}/events`;
    expect(ask(`${path}?after=5`)).toEqual({ id: one, after: '5' });
    expect(ask(`${path}?after=0`)).toEqual({ id: one, after: '0' });
  });

  test('requires no key for responses that were recorded without one', async () => {
    const ask = play(polls);
    expect(await ask('GET /api/v4/runs', undefined, 'svc_other')).toEqual([401, { detail: 'No key' }]);
    expect(await ask(`GET /api/v4/runs/${one}`, undefined, 'svc_other')).toEqual([401, { detail: expect.any(String) }]);
  });

  test('lists the recorded operations for an unknown one', async () => {
    expect(await play(polls.slice(0, 3))('GET /api/v3/sessions')).toEqual([
      404,
      {
        detail:
          'The recording has no answer to GET /api/v3/sessions. It has: POST /api/v4/runs (2), GET /api/v4/runs/{run_id} (1)',
      },
    ]);
  });

  test('keeps the Retry-After header', async () => {
    const refused = {
      call: 'GET /api/v4/runs',
      status: 429,
      answer: {},
      headers: { 'Retry-After': '7', 'Set-Cookie': 'a' },
    };
    const [call] = readRecording(createHar([refused]));
    expect(call?.answer.headers).toEqual({ 'retry-after': '7' });
  });

  test.each([
    { name: 'no JSON', text: 'x', words: 'expected a HAR' },
    { name: 'no HAR', text: '{"entries":[]}', words: 'expected a HAR' },
    {
      name: 'nothing of the API',
      text: createHar([{ call: 'GET /', answer: 1 }]),
      words: 'found no answered request to a documented operation',
    },
    {
      name: 'calls without answer alone',
      text: createHar([{ call: 'GET /api/v4/runs', status: 0, answer: 1 }]),
      words: 'found no answered request',
    },
  ])('that is $name is refused', ({ text, words }) => {
    expect(() => readRecording(text)).toThrow(words);
  });

  test('handles a body of hostile depth', async () => {
    const ask = play(polls);
    let deep: object = {};
    for (let index = 0; index < 3_000; index += 1) deep = { a: deep };
    expect((await ask('POST /api/v4/runs', deep))[0]).toBe(200);
  });
});
