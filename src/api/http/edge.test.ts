import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { createHttpServer } from './http-server.ts';
import type { Answered } from './response-log.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';

/** Reads the body of a request. Returns the parts of the request, and the size of its body. */
async function later(request: HttpRequest): Promise<HttpReply> {
  const bytes = await request.readBody();
  const { method, path, address, headers } = request;
  const body = {
    method,
    path,
    query: [...request.query],
    address,
    cookies: headers['set-cookie'],
    bytes: bytes.length,
  };
  return { status: 200, body };
}

/** Current and maximum number of requests in progress. */
const inProgress = { now: 0, most: 0 };

async function counted(): Promise<HttpReply> {
  inProgress.now += 1;
  inProgress.most = Math.max(inProgress.most, inProgress.now);
  await nextTurn();
  inProgress.now -= 1;
  return { status: 200, body: 'counted' };
}

const answers: Readonly<Record<string, (request: HttpRequest) => HttpReply | Promise<HttpReply>>> = {
  later,
  empty: () => ({ status: 204, body: undefined }),
  nothing: () => ({ status: 200, body: undefined }),
  refused: () => ({ status: 429, body: { detail: 'ä' }, headers: { 'Retry-After': '7', 'Cache-Control': 'private' } }),
  thrown: () => {
    throw new Error('a bug');
  },
  rejected: () => Promise.reject(new Error('a bug')),
  circular: () => {
    const body: Record<string, unknown> = {};
    body['itself'] = body;
    return { status: 200, body };
  },
  page: () => ({ status: 200, body: '<p>', text: '<p>', headers: { 'content-type': 'text/html; charset=utf-8' } }),
  away: () => Promise.reject(Object.assign(new Error('away'), { statusCode: 503 })),
};

function start(straightBelow: string | undefined, observed: Answered[]): FastifyInstance {
  return createHttpServer({
    rules: defaultRules,
    log: pino({ level: 'silent' }),
    observe: (answered) => void observed.push(answered),
    answer(request) {
      request.matched?.({ id: 'operation', version: 'v4', method: request.method, path: '/api/{name}' });
      const answer = request.path.endsWith('/counted') ? counted : answers[request.path.split('/').at(-1) ?? ''];
      return answer?.(request) ?? { status: 404, body: { detail: 'unknown' } };
    },
    connectionsPerAddress: 50,
    ...(straightBelow === undefined ? {} : { straightBelow }),
  });
}

/** Sends a raw request. Returns the complete response without the headers Date, Connection and Keep-Alive. */
async function ask(app: FastifyInstance, request: string): Promise<string> {
  const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1');
  socket.end(request);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text.replace(/^date: .*\r\n/im, '').replace(/^(connection|keep-alive): .*\r\n/gim, '');
}

const line = (what: string, ...headers: string[]): string =>
  `${[`${what} HTTP/1.1`, 'host: here', 'x-request-id: mine', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`;

const requests = [
  line('GET /api/later'),
  line('GET /api/later?a=1&a=2?b'),
  line('HEAD /api/later'),
  `${line('POST /api/later', 'content-type: application/json', 'content-length: 5')}12345`,
  `${line('POST /api/later', 'content-type: application/json', 'transfer-encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`,
  `${line('PATCH /api/refused', 'content-type: application/json', 'content-length: 3')}abc`,
  line('POST /api/later', 'content-length: 0'),
  line('PROPFIND /api/later'),
  line('GET /api/later', 'set-cookie: a=1', 'set-cookie: b=2'),
  line('GET /api/later', 'x-forwarded-for: 203.0.113.7'),
  ...Object.keys(answers).map((name) => line(`GET /api/${name}`)),
  line('GET /api/'),
  'GET /api/later HTTP/1.1\r\nx-request-id: mine\r\n\r\n',
  'GET /api/later HTTP/1.0\r\nx-request-id: mine\r\n\r\n',
];

describe('the edge', () => {
  const observed = { straight: new Array<Answered>(), plain: new Array<Answered>() };
  const straight = start('/api/', observed.straight);
  const plain = start(undefined, observed.plain);
  beforeAll(async () => {
    await straight.listen({ port: 0, host: '127.0.0.1' });
    await plain.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await straight.close();
    await plain.close();
  });

  it.each(requests)('answers a request as Fastify does: %j', async (request) => {
    const wanted = headersAndBody(await ask(plain, request));
    expect(wanted.headers).toContain('x-request-id: mine');
    expect(headersAndBody(await ask(straight, request))).toEqual(wanted);
  });

  it('answers an undecodable path as Fastify does', async () => {
    const request = line('GET /api/%zz/nowhere');
    expect(headersAndBody(await ask(straight, request))).toEqual(headersAndBody(await ask(plain, request)));
  });

  it('logs every request as Fastify does', () => {
    const told = (all: readonly Answered[]) => all.map(({ operation, status }) => `${operation} ${status}`);
    expect(told(observed.straight)).toEqual(told(observed.plain));
    expect(observed.straight.every(({ ms }) => ms > 0 && ms < 10_000)).toBe(true);
  });

  it('sends text of the content type that the response names', async () => {
    const answer = headersAndBody(await ask(straight, line('GET /api/page')));
    expect(answer.body).toBe('<p>');
    expect(answer.headers.filter((header) => header.startsWith('content-type'))).toEqual([
      'content-type: text/html; charset=utf-8',
    ]);
  });

  it('sends the responses of one tick in order, even if one fails', async () => {
    const names = ['empty', 'circular', 'refused', 'thrown', 'nothing'];
    const open = names.map((name) => line(`GET /api/${name}`).replace('connection: close\r\n', ''));
    const text = await ask(straight, `${open.join('')}${line('GET /api/empty')}`);
    expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['204', '500', '429', '500', '200', '204']);
  });

  it('serves pipelined requests of one packet in several ticks', async () => {
    const open = line('GET /api/counted').replace('connection: close\r\n', '');
    inProgress.most = 0;
    const socket = connect(Number(new URL(straight.listeningOrigin).port), '127.0.0.1');
    socket.write(`${open.repeat(200)}${line('GET /api/counted')}`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text.match(/(?<=HTTP\/1\.1 )200/g)).toHaveLength(201);
    expect(inProgress.most).toBeLessThan(40);
    observed.straight.length = 0;
  });

  it('passes only requests with hooks to Fastify', async () => {
    const app: FastifyInstance = createHttpServer({
      rules: defaultRules,
      log: pino({ level: 'silent' }),
      answer: () => ({ status: 204, body: undefined }),
      straightBelow: '/api/',
      isHooked: ({ headers }) => headers.origin !== undefined,
    });
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-hook', 'was there'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await ask(app, line('GET /api/one', 'origin: https://page.example'))).toContain('x-hook: was there');
    expect(await ask(app, line('GET /api/one'))).not.toContain('x-hook');
    await app.close();
  });

  it('sends responses that finish while the server begins to close', async () => {
    const app: FastifyInstance = createHttpServer({
      rules: defaultRules,
      log: pino({ level: 'silent' }),
      answer() {
        void app.close();
        return { status: 204, body: undefined };
      },
      straightBelow: '/api/',
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await ask(app, line('GET /api/last'))).toMatch(/^HTTP\/1\.1 204 /);
  });
});

function headersAndBody(answer: string): { readonly headers: readonly string[]; readonly body: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return {
    headers: head
      .split('\r\n')
      .map((header) => header.toLowerCase())
      .toSorted(),
    body,
  };
}
