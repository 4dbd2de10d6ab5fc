import { expect, it } from 'vitest';
import { allOperations } from '#conformance/core/operations.ts';
import { judgeCall, judgeRaw } from './send-and-judge.ts';
import { judgeGrowth, runFuzz } from './run-fuzz.ts';

it('1,000 requests of every kind are answered as their documents say, and leave nothing behind', async () => {
  const { faults, statuses, succeeded, rests } = await runFuzz({ requests: 1_000, seed: 20_261_122, windows: 1 });
  expect([...faults.kinds.values()]).toEqual([]);
  // The requests must reach all stages of the service, which these statuses show.
  for (const status of [101, 200, 201, 202, 204, 400, 401, 403, 404, 405, 422])
    expect([...statuses.keys()]).toContain(status);
  expect(succeeded.size).toBeGreaterThan(allOperations.length * 0.7);
  expect(rests.map(({ files, rows }) => [files, rows.get('events'), rows.get('loose_blobs')])).toEqual([[0, 0, 0]]);
});

const call = {
  kind: 'call',
  operation: 'v4.listRuns',
  method: 'GET',
  path: '/api/v4/runs',
  headers: [],
  body: null,
  hasKey: true,
} as const;
const head = new Map([['x-request-id', 'x']]);
const runs = { status: 200, headers: head, body: '{}', json: { runs: [], nextCursor: null, hasMore: false } };

it.each([
  { given: 'a good answer', request: call, answer: runs, want: [] },
  { given: 'no answer', request: call, answer: { ...runs, status: 0, fault: 'gone' }, want: ['no answer: gone'] },
  {
    given: 'an internal error',
    request: { ...call, operation: null },
    answer: { ...runs, status: 500, body: 'x' },
    want: ['answered 500: x'],
  },
  {
    given: 'no request id',
    request: call,
    answer: { ...runs, headers: new Map<string, string>() },
    want: ['an answer of 200 has no request id'],
  },
  { given: 'no key', request: { ...call, hasKey: false }, answer: runs, want: ['answered 200 without a good key'] },
  {
    given: 'a status of nobody',
    request: call,
    answer: { ...runs, status: 418 },
    want: ['v4.listRuns answered 418, which its document does not list'],
  },
  {
    given: 'another body',
    request: call,
    answer: { ...runs, json: { runs: 7 } },
    want: [expect.stringContaining('v4.listRuns answered 200: ')],
  },
  {
    given: 'a wrong body that was taken',
    request: { ...call, operation: 'v4.createWorkspace', method: 'POST', body: '{"name":7}' },
    answer: { ...runs, status: 413, json: { detail: 'x' } },
    want: [],
  },
  {
    given: 'a stack',
    request: { ...call, operation: null },
    answer: { ...runs, status: 400, body: 'at file:///srv/a.ts:1', json: { detail: 'x' } },
    want: [expect.stringContaining('shows the inside')],
  },
] as const)('$given: $want', ({ request, answer, want }) => {
  const found = judgeCall(request, answer);
  expect(found.slice(0, 1)).toEqual(want);
});

it('bytes are answered once for each request, with an id, and end', () => {
  const raw = { kind: 'raw', pieces: [], answers: 2 } as const;
  const good = { status: 200, text: 'HTTP/1.1 200 OK\r\nx-request-id: a\r\n\r\n' };
  expect(judgeRaw(raw, { heads: [good, good], isEnded: true, isCut: false })).toEqual([]);
  expect(judgeRaw(raw, { heads: [good], isEnded: true, isCut: false })).toEqual([
    '2 requests on one connection got 1 answers',
  ]);
  // A connection that was cut during writing may lose responses, but never gets more responses than requests.
  expect(judgeRaw(raw, { heads: [good], isEnded: true, isCut: true })).toEqual([]);
  expect(judgeRaw(raw, { heads: [good, good, good], isEnded: true, isCut: true })).toHaveLength(1);
  expect(
    judgeRaw({ ...raw, answers: null }, { heads: [{ status: 500, text: '' }], isEnded: false, isCut: false }),
  ).toHaveLength(3);
});

it('growth is what is more at the last rest than at a warm one', () => {
  const rest = {
    after: 1,
    heapBytes: 5e7,
    residentBytes: 1e8,
    resources: 9,
    descriptors: 30,
    files: 0,
    rows: new Map([
      ['events', 0],
      ['sessions', 1],
    ]),
  };
  expect(
    judgeGrowth(rest, {
      ...rest,
      after: 2,
      heapBytes: 5.1e7,
      rows: new Map([
        ['events', 0],
        ['sessions', 9999],
      ]),
    }),
  ).toEqual([]);
  const grown = { ...rest, after: 2, heapBytes: 9e7, descriptors: 90, rows: new Map([['events', 50]]) };
  expect(judgeGrowth(rest, grown).map((fault) => fault.split(' grew')[0])).toEqual([
    'the heap',
    'open descriptors',
    'table events',
  ]);
});
