import { once } from 'node:events';
import { type Server, type Socket, createServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceWatch, createAnswerBudget, createServiceWatch } from './answer-limits.ts';
import * as fc from 'fast-check';
import { BoundedBytes, measureJson, suiteLimit } from '../core/bounds.ts';
import { byFetch } from './send-by-fetch.ts';
import { sendOverHttp } from './send-over-http.ts';
import type { Answer, AnswerLimit, Transport, TransportRequest } from '../core/transport.ts';

const head = 'HTTP/1.1 200 OK\r\n';
const bombBytes = 64 * 1_048_576;

/** Writes the same bytes again and again, as fast as the reader reads, until the connection is closed. */
function repeat(socket: Socket, part: string | Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', write);
  write();
}

/** Functions that send a hostile response on a socket, by the path of the request that they answer. */
const hostile: Readonly<Record<string, (socket: Socket) => void>> = {
  'endless body': (socket) => {
    socket.write(`${head}\r\n`);
    repeat(socket, 'x'.repeat(65_536));
  },
  'endless chunks of one byte': (socket) => {
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    repeat(socket, '1\r\nx\r\n'.repeat(10_000));
  },
  'endless headers': (socket) => {
    socket.write(head);
    repeat(socket, `x-more: ${'x'.repeat(1000)}\r\n`);
  },
  'endless interim answers': (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(10)),
  'endless continues': (socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10)),
  'gzip bomb': (socket) => {
    socket.end(
      Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\n\r\n`), gzipSync(Buffer.alloc(bombBytes))]),
    );
  },
  'brotli bomb': (socket) => {
    const bomb = brotliCompressSync(Buffer.alloc(bombBytes));
    socket.end(Buffer.concat([Buffer.from(`${head}content-encoding: br\r\n\r\n`), bomb]));
  },
  'nested gzip bomb': (socket) => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(bombBytes)));
    socket.end(Buffer.concat([Buffer.from(`${head}content-encoding: gzip, gzip\r\n\r\n`), bomb]));
  },
  'slow body': (socket) => {
    socket.write(`${head}content-length: 1000\r\n\r\n`);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.once('close', () => clearInterval(timer));
  },
};

let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => {
      const name = decodeURIComponent(/^\w+ \/(\S*)/.exec(bytes.toString())?.[1] ?? '');
      hostile[name]?.(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
});

afterAll(() => {
  server.close();
});

function requestTo(name: string, timeoutMs: number): TransportRequest {
  return {
    sentBy: 'test',
    operation: 'test',
    method: 'GET',
    url: url + encodeURIComponent(name),
    headers: {},
    shown: { url, headers: {} },
    timeoutMs,
    signal: new AbortController().signal,
    outlivesRun: false,
  };
}

const attacks: [string, readonly AnswerLimit[], number][] = [
  ['endless body', ['answerBytes'], 20_000],
  // The speed of the machine decides which limit comes first.
  ['endless chunks of one byte', ['answerTime', 'answerBytes'], 1_000],
  ['endless headers', ['answerHeaders'], 20_000],
  ['gzip bomb', ['answerBytes'], 20_000],
  ['brotli bomb', ['answerBytes'], 20_000],
  ['nested gzip bomb', ['answerBytes'], 20_000],
  ['slow body', ['answerTime'], 1_000],
];

describe.each<[string, Transport]>([
  ['over HTTP', sendOverHttp],
  ['by fetch', byFetch()],
])('an answer %s', (_name, send) => {
  it.each(attacks)('is given up and keeps its beginning: %s', async (name, limits, timeoutMs) => {
    const answer = await send(requestTo(name, timeoutMs));
    expect(answer).toMatchObject({ status: 0, exceeds: expect.toBeOneOf([...limits]) });
    expect(answer.fault).toMatch(/given up/);
    expect(answer.body.length).toBeLessThanOrEqual(suiteLimit('answerExcerpt'));
    if (answer.exceeds === 'answerBytes') expect(answer.body).toHaveLength(suiteLimit('answerExcerpt'));
  });
});

describe.each<[string, Transport]>([
  ['over HTTP', sendOverHttp],
  ['by fetch', byFetch()],
])('a request for a range %s', (_name, send) => {
  it('takes the beginning of a whole that is longer than the limit', async () => {
    const answer = await send({ ...requestTo('endless body', 20_000), headers: { range: 'bytes=0-255' } });
    expect(answer).toMatchObject({ status: 200, body: 'x'.repeat(suiteLimit('answerExcerpt')) });
    expect(answer.exceeds).toBeUndefined();
  });
});

describe('an answer over HTTP', () => {
  it.each(['endless interim answers', 'endless continues'])(
    'is given up after many interim answers: %s',
    async (name) => {
      expect(await sendOverHttp(requestTo(name, 20_000))).toMatchObject({ status: 0, exceeds: 'answerInterim' });
    },
  );
});

describe('the budget of a run', () => {
  const answer = (body: string) => ({ status: 200, headers: {}, body });
  const neverFull = (reason: string): never => {
    throw new Error(reason);
  };

  it.each<[string, AnswerLimit, string]>([
    ['arrays within each other', 'answerJsonDepth', '['.repeat(1_000_000)],
    ['objects within each other', 'answerJsonDepth', `${'{"a":'.repeat(600_000)}1${'}'.repeat(600_000)}`],
    ['entries', 'answerJsonValues', `[${'0,'.repeat(1_000_000)}0]`],
    ['empty objects', 'answerJsonValues', `[${'{},'.repeat(1_000_000)}{}]`],
    [
      'members',
      'answerJsonValues',
      `{${Array.from({ length: 350_000 }, (_, at) => `"${at.toString(36)}":0`).join(',')}}`,
    ],
    ['characters', 'answerBytes', 'x'.repeat(suiteLimit('answerBytes') + 1)],
  ])('gives up an answer of too many %s', (_what, limit, body) => {
    const admitted = createAnswerBudget(neverFull).admit(answer(body));
    expect(admitted).toMatchObject({ status: 0, exceeds: limit });
    expect(admitted.body).toBe(body.slice(0, suiteLimit('answerExcerpt')));
  });

  it('takes brackets in text and in a body that is no JSON for what they are', () => {
    for (const body of [
      JSON.stringify('['.repeat(1000)),
      `{"a":"${'[{'.repeat(1000)}\\"["}`,
      `<p>${'['.repeat(1000)}`,
    ]) {
      expect(createAnswerBudget(neverFull).admit(answer(body)).exceeds).toBeUndefined();
    }
  });

  it.each([
    ['bytes', 'runAnswerBytes', 'x'.repeat(suiteLimit('answerBytes'))],
    ['values', 'runAnswerValues', `[${'0,'.repeat(suiteLimit('answerJsonValues') - 10)}0]`],
  ])('are full when all answers have too many %s together, and no answer is at fault', (_what, limit, body) => {
    const reasons: string[] = [];
    const budget = createAnswerBudget((reason) => reasons.push(reason));
    const each = limit === 'runAnswerBytes' ? body.length : suiteLimit('answerJsonValues') - 8;
    const fitting = Math.floor(suiteLimit(limit) / each);
    for (let count = 0; count < fitting; count += 1) expect(budget.admit(answer(body)).exceeds).toBeUndefined();
    expect(reasons).toEqual([]);
    expect(budget.admit(answer(body)).exceeds).toBeUndefined();
    expect(reasons).toEqual([expect.stringContaining(String(suiteLimit(limit)))]);
  });
});

describe('the watch of a run', () => {
  const asked = { generation: 'v3' } as const;
  const late = { status: 0, headers: {}, body: '', fault: 'nothing within 50 ms' };
  const busy = { status: 429, headers: { 'retry-after': '60' }, body: '' };
  const served = { status: 422, headers: {}, body: '' };

  /** Returns the number of the response at which the watch ends the run; undefined if it does not. */
  function endOf(answers: readonly Answer[], spec: Parameters<ServiceWatch['note']>[1] = asked): number | undefined {
    const ends: number[] = [];
    let count = 0;
    const watch = createServiceWatch(50, () => ends.push(count));
    for (const answer of answers) {
      count += 1;
      watch.note(answer, spec);
    }
    expect(ends.length).toBeLessThanOrEqual(1);
    return ends[0];
  }

  const many = (...answers: Answer[]): Answer[] => Array.from({ length: 100 }, () => answers).flat();

  it.each([
    ['no answer', late],
    ['a demand to wait', busy],
    ['an unfinished answer', { ...late, fault: 'the answer 200 was given up', exceeds: 'answerTime' } as const],
  ])('ends it after 40 times %s', (_what, answer) => {
    expect(endOf([late, served, ...many(answer)])).toBe(42);
  });

  it('does not end it at an answer between them, a refusal without a wait, or a response of a replay', () => {
    for (const answers of [many(late, served), many({ ...busy, headers: {} }), many({ ...late, fault: 'ECONNRESET' })])
      expect(endOf(answers)).toBeUndefined();
    expect(endOf(many({ ...late, times: { atMs: 0, durationMs: 1 } }))).toBeUndefined();
    expect(endOf(many(late), { generation: 'other' })).toBeUndefined();
    expect(endOf(many(busy), { generation: 'v3', overload: true })).toBeUndefined();
  });
});

describe('bounded bytes', () => {
  it('keeps the bytes of parts of any size in order, up to the limit', () => {
    const max = 300_000;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }), fc.nat(max), (sizes, most) => {
        const collected = new BoundedBytes(max);
        const parts = sizes.map((size, index) => Buffer.alloc(size, index + 1));
        const whole = Buffer.concat(parts);
        const fits = parts.map((part) => collected.add(part));
        expect(fits.every(Boolean)).toBe(whole.length <= max);
        expect(collected.bytes().equals(whole.subarray(0, max))).toBe(true);
        expect(collected.bytes(most).equals(whole.subarray(0, most))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('keep what fits, in order, however it is cut', () => {
    const bytes = new BoundedBytes(10);
    expect(bytes.add(Buffer.from('abc'))).toBe(true);
    expect(bytes.add(Buffer.from('defg'))).toBe(true);
    expect(bytes.add(Buffer.from('hijklm'))).toBe(false);
    expect(bytes.bytes().toString()).toBe('abcdefghij');
  });
});

describe('the size of JSON', () => {
  it.each([
    ['1', { depth: 0, values: 1 }],
    ['[]', { depth: 1, values: 2 }],
    ['{"a":[1,2,{"b":"],["}]}', { depth: 3, values: 6 }],
  ])('%s is measured', (text, size) => {
    expect(measureJson(text, { depth: 100, values: 100 })).toEqual(size);
  });
});
