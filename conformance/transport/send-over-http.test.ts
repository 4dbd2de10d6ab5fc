import { once } from 'node:events';
import { type Server, createServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byFetch } from './send-by-fetch.ts';
import { sendOverHttp } from './send-over-http.ts';
import type { Answer, Transport, TransportRequest } from '../core/transport.ts';

const text = 'straße, \u{1F600} and a text that is long enough to be packed, to be packed, to be packed';
const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n';

/**
 * Raw responses of the server by request path. After a response the server closes the connection, except for paths that
 * begin with `silence`.
 */
const answers: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  plain: [
    `${head}X-Two: a\r\nb-first: 1\r\nx-two: b\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 2\r\n\r\nok`,
  ],
  'latin-1 in a header': [Buffer.from(`${head}x-name: straße\r\ncontent-length: 0\r\n\r\n`, 'latin1')],
  'a body without a length': [head, '\r\n', text],
  chunks: [`${head}transfer-encoding: chunked\r\n\r\n`, '3\r\nabc\r\n', '2\r\nde\r\n0\r\n\r\n'],
  'a mark of byte order': [`${head}\r\n`, Buffer.from('\u{FEFF}{"a":1}')],
  'no UTF-8': [`${head}\r\n`, Buffer.from([0x61, 0xff, 0xe4, 0x62])],
  'an early hint': [`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head}content-length: 2\r\n\r\nok`],
  'a redirect': ['HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'],
  'no content': ['HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'],
  gzip: [`${head}content-encoding: gzip\r\n\r\n`, gzipSync(text)],
  'gzip that is cut off': [`${head}content-encoding: gzip\r\n\r\n`, gzipSync(text).subarray(0, -12)],
  'gzip that is none': [`${head}content-encoding: gzip\r\n\r\n`, 'plain'],
  deflate: [`${head}content-encoding: deflate\r\n\r\n`, deflateSync(text)],
  'deflate without a header': [`${head}content-encoding: deflate\r\n\r\n`, deflateRawSync(text)],
  brotli: [`${head}content-encoding: br\r\n\r\n`, brotliCompressSync(text)],
  'two codings': [`${head}content-encoding: deflate, gzip\r\n\r\n`, gzipSync(deflateSync(text))],
  'an unknown coding': [`${head}content-encoding: own\r\n\r\nplain`],
  nothing: [],
  'the half of a body': [`${head}content-length: 10\r\n\r\nhalf`],
  'the half of a header': ['HTTP/1.1 200 O'],
  'another protocol': ['HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: own\r\n\r\n'],
  'no HTTP': ['220 ready\r\n'],
  'no status': ['HTTP/1.1 000 None\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
  silence: [],
  'silence after half of a body': [`${head}content-length: 10\r\n\r\nhalf`],
};

let server: Server;
let url = '';
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    let sent = '';
    socket.on('data', (bytes) => {
      sent += bytes.toString();
      const [lines = '', body] = sent.split('\r\n\r\n');
      if (body === undefined || Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(lines)?.[1] ?? 0))
        return;
      asked.push(sent);
      sent = '';
      const name = decodeURIComponent(/^\w+ \/(\S*)/.exec(lines)?.[1] ?? '');
      for (const part of answers[name] ?? []) socket.write(part);
      if (!name.startsWith('silence')) socket.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
});

afterAll(() => {
  server.close();
});

function requestTo(name: string, change: Partial<TransportRequest> = {}): TransportRequest {
  const headers = { 'X-Own': 'value' };
  return {
    sentBy: 'test',
    operation: 'test',
    method: 'GET',
    url: url + encodeURIComponent(name),
    headers,
    shown: { url, headers },
    timeoutMs: 5000,
    signal: new AbortController().signal,
    outlivesRun: false,
    ...change,
  };
}

/** Sends equal requests over Node's HTTP client and by `fetch`; returns both responses. */
async function both(request: () => TransportRequest): Promise<[Answer, Answer]> {
  return [await sendOverHttp(request()), await byFetch()(request())];
}

describe('an answer', () => {
  const faults: Readonly<Record<string, RegExp>> = {
    // An assertion of the client behind fetch.
    'no status': /^(?:the status 000|false == true)$/,
    'no HTTP': /Parse Error|HTTP\/1.1 protocol/,
    'gzip that is none': /header check/,
    'the half of a body': /other side closed|does not match/,
  };
  const read = Object.keys(answers).filter((name) => faults[name] === undefined && !name.startsWith('silence'));

  it.each(read)('is read as fetch reads it: %s', async (name) => {
    const [found, wanted] = await both(() => requestTo(name));
    expect(found).toEqual(wanted);
    expect(Object.keys(found.headers)).toEqual(Object.keys(wanted.headers));
  });

  it('keeps what a header and a body say', async () => {
    const { headers, body } = await sendOverHttp(requestTo('plain'));
    expect({ headers, body }).toEqual({
      headers: { 'b-first': '1', connection: 'close', 'content-length': '2', 'set-cookie': 'b=2', 'x-two': 'a, b' },
      body: 'ok',
    });
    expect((await sendOverHttp(requestTo('two codings'))).body).toBe(text);
  });

  it.each(Object.entries(faults))('is a fault where it cannot be read: %s', async (name, words) => {
    for (const { status, fault } of await both(() => requestTo(name))) {
      expect(status).toBe(0);
      expect(fault).toMatch(words);
    }
  });
});

describe('a request', () => {
  const bodies: Partial<TransportRequest>[] = [
    {},
    { method: 'POST', body: '{"a":"ß"}', headers: { 'content-type': 'application/json', Accept: 'text/plain' } },
    { method: 'POST' },
    { method: 'PATCH', body: '', headers: { 'content-type': 'application/json' } },
    { method: 'DELETE' },
    { method: 'DELETE', body: '{}', headers: { 'content-type': 'application/json' } },
  ];

  it.each(bodies)('goes over the network as fetch sends it: $method $body', async (change) => {
    asked = [];
    await both(() => requestTo('plain', change));
    const [ours, theirs] = asked.map((sent) => {
      const [line, ...rest] = sent.split('\r\n');
      // Clients may differ in the case and the order of header names.
      return [line, ...rest.map((header) => header.replace(/^[^:]*/, (name) => name.toLowerCase())).toSorted()];
    });
    expect(ours?.length).toBeGreaterThan(5);
    expect(ours).toEqual(theirs);
  });
});

describe('a request without an answer', () => {
  const senders: [string, Transport][] = [
    ['ours', sendOverHttp],
    ['fetch', byFetch()],
  ];

  it.each(senders)('is a fault after its time: %s', async (_name, send) => {
    const answer = await send(requestTo('silence', { timeoutMs: 50 }));
    expect(answer).toEqual({ status: 0, headers: {}, body: '', fault: 'nothing within 50 ms' });
  });

  it.each(senders)('keeps the beginning of a body that does not end in time: %s', async (_name, send) => {
    const answer = await send(requestTo('silence after half of a body', { timeoutMs: 50 }));
    expect(answer).toEqual({
      status: 0,
      headers: { connection: 'close', 'content-length': '10' },
      body: 'half',
      fault: 'the answer 200 was given up: its body had not ended after 50 ms',
      exceeds: 'answerTime',
    });
  });

  it.each(senders)(
    'ends with the run, for the reason that this gives, unless it outlives it: %s',
    async (_name, send) => {
      const run = new AbortController();
      const ended = send(requestTo('silence', { signal: run.signal }));
      const kept = send(requestTo('silence', { signal: run.signal, outlivesRun: true, timeoutMs: 100 }));
      run.abort(new Error('the run is over'));
      expect((await ended).fault).toBe('the run is over');
      expect((await send(requestTo('plain', { signal: run.signal }))).fault).toBe('the run is over');
      expect((await kept).fault).toBe('nothing within 100 ms');
    },
  );

  it.each(senders)('says why the host cannot be reached: %s', async (_name, send) => {
    const unreachable = createServer();
    await once(unreachable.listen(0, '127.0.0.1'), 'listening');
    const address = unreachable.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => unreachable.close(resolve));
    const refused = await send(requestTo('', { url: `http://127.0.0.1:${port}/` }));
    expect(refused.fault).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
    const unknown = await send(requestTo('', { url: 'http://svc-check.invalid/' }));
    expect(unknown.fault).toMatch(/getaddrinfo \w+ svc-check\.invalid/);
  });

  it('is a fault if a header cannot be sent or a URL is invalid', async () => {
    const wrong = await both(() => requestTo('plain', { headers: { 'x-own': 'a\nb' } }));
    const nowhere = await both(() => requestTo('plain', { url: 'nowhere' }));
    for (const { status, fault } of [...wrong, ...nowhere]) expect([status, fault !== '']).toEqual([0, true]);
    expect(nowhere[0]).toEqual(nowhere[1]);
  });
});

describe('a connection that the server closes while it is idle', () => {
  /**
   * Sends two requests to a server that answers the first request of each connection. At the second request of a
   * connection, the server sends `begun` and resets the connection.
   */
  async function resetting(
    method: string,
    begun: string,
  ): Promise<{ first: Answer; second: Answer; requests: number }> {
    let requests = 0;
    const closing = createServer((socket) => {
      let isReused = false;
      socket.on('error', () => socket.destroy());
      socket.on('data', () => {
        requests += 1;
        if (!isReused) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else if (begun === '') socket.resetAndDestroy();
        else socket.write(begun, () => setImmediate(() => socket.resetAndDestroy()));
        isReused = true;
      });
    });
    await once(closing.listen(0, '127.0.0.1'), 'listening');
    const address = closing.address();
    const to = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
    const first = await sendOverHttp(requestTo('', { url: to, method }));
    const second = await sendOverHttp(requestTo('', { url: to, method }));
    closing.close();
    return { first, second, requests };
  }

  it.each(['GET', 'DELETE'])('is no fault of a %s, which is sent again on a new connection', async (method) => {
    const { first, second, requests } = await resetting(method, '');
    expect([first.body, second.body, requests]).toEqual(['ok', 'ok', 3]);
  });

  it.each([
    ['POST', '', 'is a fault of a request that may have had an effect'],
    ['GET', 'HTTP/1.1 200 O', 'is a fault after the first bytes of an answer'],
  ])('%s "%s" %s', async (method, begun) => {
    const { first, second, requests } = await resetting(method, begun);
    expect(first.body).toBe('ok');
    expect([second.status, requests]).toEqual([0, 2]);
    expect(second.fault).not.toBe('');
  });
});

it('sends a POST on a new connection after a response whose connection the server closed at once', async () => {
  const brief = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    // The response does not announce the close.
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  });
  await once(brief.listen(0, '127.0.0.1'), 'listening');
  const address = brief.address();
  const to = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  const sendAll = async (): Promise<string[]> => {
    const bodies: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const { fault, body } = await sendOverHttp(requestTo('', { url: to, method: 'POST' }));
      bodies.push(fault ?? body);
    }
    return bodies;
  };
  const found = await Promise.all([sendAll(), sendAll(), sendAll()]);
  brief.close();
  expect(new Set(found.flat())).toEqual(new Set(['ok']));
});

it.each(['POST', 'PATCH'])('closes a connection that a %s has left idle, before a server does', async (method) => {
  const ends: Promise<unknown>[] = [];
  const lasting = createServer((socket) => {
    ends.push(once(socket, 'end'));
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  });
  await once(lasting.listen(0, '127.0.0.1'), 'listening');
  const address = lasting.address();
  const send = (by: string): Promise<Answer> => {
    const to = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
    return sendOverHttp(requestTo('', { url: to, method: by }));
  };
  await send('GET');
  await send(method);
  await send(method);
  const [ofGet, ofOther] = ends;
  expect(ends.length).toBe(2);
  expect(await Promise.race([ofGet, ofOther?.then(() => method)])).toBe(method);
  expect((await send(method)).body).toBe('ok');
  expect(ends.length).toBe(3);
  lasting.close();
});

it('leaves what is no plain address to fetch', async () => {
  expect((await sendOverHttp(requestTo('', { url: 'data:text/plain,ok' }))).body).toBe('ok');
  const named = await sendOverHttp(requestTo('', { url: url.replace('//', '//name:word@') }));
  expect(named.status).toBe(0);
});
