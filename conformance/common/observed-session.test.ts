import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import { type TaskObservation, hasEnded } from './observed-session.ts';

const before = { status: 'idle', output: 'old', isTaskSuccessful: true, stepCount: 2, totalCostUsd: '0.1' };

function exchange(json: JsonObject): Exchange {
  const request = { method: 'POST', url: 'http://127.0.0.1:1', headers: {} };
  const sent = { index: 0, generation: 'v3', operation: 'x', sentBy: 'test', atMs: 0, durationMs: 0, request } as const;
  return { ...sent, status: 202, headers: {}, body: '', json };
}

function followUp(...records: JsonObject[]): TaskObservation {
  const fetches = records.map((record) => ({ exchange: exchange(record), record }));
  const end = fetches.at(-1) ?? { exchange: exchange({}), record: {} };
  return { request: {}, before, dispatched: exchange({ id: 's' }), fetches, end };
}

describe('a follow-up task', () => {
  it.each([
    ['shows the record of the previous task', [before]],
    [
      'has cleared the outcome of the previous task',
      [{ ...before, output: null, isTaskSuccessful: null, stepCount: 0 }],
    ],
    ['runs', [before, { ...before, status: 'running' }]],
  ])('has not ended while the session %s', (_, records) => {
    expect(hasEnded(followUp(...records))).toBe(false);
  });

  it.each([
    ['was running', [{ ...before, status: 'running' }, before]],
    ['has a new output', [{ ...before, output: 'new' }]],
    ['has another outcome', [{ ...before, isTaskSuccessful: false }]],
    ['has more steps', [{ ...before, stepCount: 3 }]],
    ['has cost more', [{ ...before, totalCostUsd: '0.2' }]],
    ['was updated', [{ ...before, updatedAt: '2026-01-01T00:00:00Z' }]],
    ['was stopped', [{ ...before, status: 'stopped' }]],
  ])('has ended when the session is idle or in a final status and %s', (_, records) => {
    expect(hasEnded(followUp(...records))).toBe(true);
  });
});

it('an idle session whose counters alone have changed has not ended its first task', () => {
  const { before: _, ...first } = followUp({ status: 'idle', output: null, isTaskSuccessful: null, stepCount: 0 });
  expect(hasEnded(first)).toBe(false);
});

it('a first task whose creation already shows its outcome has ended, although no fetch shows another one', () => {
  const record = { status: 'idle', output: 'done', isTaskSuccessful: true, stepCount: 1 };
  const { before: _, ...first } = followUp(record);
  expect(hasEnded({ ...first, dispatched: exchange(record) })).toBe(true);
});
