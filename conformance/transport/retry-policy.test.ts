import { type RequestListener, createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRunContext } from '../runner/run-context.ts';
import { settle } from '../runner/options.ts';
import { type RetryInput, decideRetry } from './retry-policy.ts';
import type { RequestSpec } from '../core/request.ts';
import { TooManyRequests } from '../core/outcome.ts';
import type { Recorder } from '../core/recorder.ts';
import { fakeTarget } from '../testing/fake-target.ts';

const base: RetryInput = {
  exchange: { status: 429, headers: {}, operation: 'getRun' },
  spec: { method: 'GET', generation: 'v4' },
  time: 0,
  random: 0,
  intervalMs: 100,
  retryAfterMaxMs: 60_000,
};
const answer = (status: number, headers: Record<string, string> = {}): Partial<RetryInput> => ({
  exchange: { status, headers, operation: 'getRun' },
});
const post: Partial<RetryInput> = { spec: { method: 'POST', generation: 'v4' } };
const away = (fault = 'connect ECONNREFUSED 127.0.0.1:1'): Partial<RetryInput> => ({
  exchange: { status: 0, headers: {}, operation: 'getRun', fault },
});
const date = { date: 'Sat, 21 Nov 2026 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 10:00:07 GMT' };

describe('patience', () => {
  it.each<[string, Partial<RetryInput>, object]>([
    ['sends a 429 again', {}, { does: 'resend', waitMs: 100, everybody: false }],
    ['waits longer each time', { time: 2 }, { does: 'resend', waitMs: 400, everybody: false }],
    ['sends a creation again after 429', post, { does: 'resend', waitMs: 100, everybody: false }],
    ['gives up after three times', { time: 3 }, { does: 'giveUp' }],
    ['keeps everybody waiting', answer(429, { 'retry-after': '2' }), { does: 'resend', waitMs: 2000, everybody: true }],
    ['reads a date', answer(429, date), { does: 'resend', waitMs: 7000, everybody: true }],
    ['is not endless', answer(429, { 'retry-after': '61' }), { does: 'giveUp' }],
    ['differs by chance', { random: 0.5 }, { does: 'resend', waitMs: 105 }],
    ['reads again after 503', answer(503, { 'retry-after': '1' }), { does: 'resend', waitMs: 1000, everybody: true }],
    ['reads again after 503 without a time', answer(503), { does: 'resend', waitMs: 100, everybody: false }],
    ['waits longer after each 502', { ...answer(502), time: 2 }, { does: 'resend', waitMs: 400 }],
    ['takes the fourth 504', { ...answer(504), time: 3 }, { does: 'keep', holdMs: 0 }],
    ['never creates again after 502', { ...answer(502), ...post }, { does: 'keep', holdMs: 0 }],
    ['takes a 503 for ever', answer(503, { 'retry-after': '600' }), { does: 'keep', holdMs: 0 }],
    [
      'never creates again after 503, but waits',
      { ...answer(503, { 'retry-after': '1' }), ...post },
      { does: 'keep', holdMs: 1000 },
    ],
    [
      'waits for a target without a connection',
      { ...away(), ...post },
      { does: 'resend', waitMs: 100, everybody: true },
    ],
    ['ends when it stays away', { ...away(), time: 3 }, { does: 'end' }],
    ['ends when nothing connects', { ...away('no connection within 10000 ms'), time: 3 }, { does: 'end' }],
    ['takes a connection that was lost', away('other side closed'), { does: 'keep' }],
    ['takes a dead address', { ...away(), spec: { method: 'GET', generation: 'other' } }, { does: 'keep' }],
    [
      'takes what was asked for',
      { spec: { method: 'POST', generation: 'v4', overload: true } },
      { does: 'keep', holdMs: 0 },
    ],
    ['takes every other fault', answer(500, { 'retry-after': '1' }), { does: 'keep', holdMs: 0 }],
  ])('%s', (_name, change, want) => {
    expect(decideRetry({ ...base, ...change })).toMatchObject(want);
  });
});

interface Sending {
  send: (spec: RequestSpec) => Promise<{ status: number }>;
  recorder: Recorder;
  close: () => void;
}

async function against(listener: RequestListener): Promise<Sending> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const settings = settle({
    target: fakeTarget(`http://127.0.0.1:${port}`),
    apiKey: 'svc_key',
    ratePerSecond: 0,
    seed: 1,
  });
  const runContext = createRunContext({ settings, signal: new AbortController().signal });
  const { recorder } = runContext;
  return { send: runContext.contextFor('test').send, recorder, close: () => void server.close() };
}

const look: RequestSpec = { generation: 'v4', operation: 'getRun', method: 'GET', path: '/runs/1' };

describe('the client', () => {
  it('sends nothing until Retry-After has passed, and keeps both answers', async () => {
    const seen: string[] = [];
    const { send, recorder, close } = await against((request, response) => {
      seen.push(request.url ?? '');
      const busy = seen.length === 1;
      response.writeHead(busy ? 429 : 200, busy ? { 'retry-after': '0.2' } : {}).end('{}');
    });
    const first = send(look);
    while (recorder.all().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = send({ ...look, path: '/runs/2' });
    await Promise.all([first, second]);
    close();
    const [busy, ...later] = recorder.all();
    expect([busy?.status, ...later.map(({ status }) => status)]).toEqual([429, 200, 200]);
    // The request that was started during the wait has also waited until the end of the wait.
    for (const { atMs } of later) expect(atMs - (busy?.atMs ?? 0)).toBeGreaterThanOrEqual(195);
  });

  it('gives up on a target that stays busy, after four requests', async () => {
    const { send, recorder, close } = await against((_request, response) => response.writeHead(429).end('{}'));
    await expect(send(look)).rejects.toThrow(TooManyRequests);
    close();
    expect(recorder.all().map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  });

  it('never sends a creation again after a fault of the target', async () => {
    const { send, recorder, close } = await against((_request, response) =>
      response.writeHead(503, { 'retry-after': '0.01' }).end('{}'),
    );
    const body = { task: 'x', model: 'claude-opus-5' };
    const create: RequestSpec = { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body };
    expect(await send({ ...create, creates: true })).toMatchObject({ status: 503 });
    close();
    expect(recorder.all()).toHaveLength(1);
  });
});
