import { describe, expect, it } from 'vitest';
import { listClientRules } from './client-rules.ts';
import { judgeTrials } from './judge-trials.ts';
import type { ClientExchange, TrialRun } from './recording.ts';
import { trials } from './trial.ts';

interface Started {
  readonly startedMs: number;
  readonly stalledMs: number;
  readonly killed: TrialRun['end']['killed'];
}

/**
 * Creates the recording of a failed program. It sent its task at `startedMs` and closed the connection
 * `answeredAfterMs` later without an answer. It ended with code 1, or was killed if `killed` is set.
 */
function failedRun(
  answeredAfterMs: number,
  { startedMs = 100, stalledMs = 0, killed }: Partial<Started> = {},
): TrialRun {
  const [trial] = trials;
  if (trial === undefined) throw new Error('found no trial');
  const create: ClientExchange = {
    index: 0,
    atMs: startedMs,
    endedMs: undefined,
    abandonedMs: startedMs + answeredAfterMs,
    host: 'service',
    method: 'POST',
    target: '/api/v2/tasks',
    headers: {},
    body: Buffer.from('{}'),
    kind: 'create',
    operation: { id: 'createTask', version: 'v2', target: '' },
    fault: undefined,
    failure: undefined,
    status: 200,
    answerHeaders: {},
    answer: Buffer.from('{}'),
  };
  return {
    trial,
    input: { version: 'v2', timeoutMs: 10_000 },
    states: [],
    key: 'svc_key',
    exchanges: [create],
    sockets: [],
    end: { code: 1, killed, atMs: 12_000, stalledMs, stdout: '', stderr: 'DOMException [TimeoutError]: aborted' },
    interruptedMs: undefined,
    planted: { texts: [], decimal: undefined, kind: undefined, ids: [] },
    printed: undefined,
  };
}

describe('a finding in a trial', () => {
  const rules = listClientRules(['CLIENT-POLL-06']);

  it('counts where the mock answered in time', () => {
    expect(judgeTrials(rules, [failedRun(100)])).toMatchObject([{ verdict: 'violation' }]);
  });

  it('is left open where the machine was too busy to answer well within the time-out', () => {
    expect(judgeTrials(rules, [failedRun(8200)])).toMatchObject([
      { verdict: 'notTestable', reason: expect.stringContaining('took 8.2 s for an answer; lower --concurrency') },
    ]);
  });

  it('is left open for a program that was killed because its start took half of its time', () => {
    expect(judgeTrials(rules, [failedRun(100, { startedMs: 9900, killed: 'late' })])).toMatchObject([
      { verdict: 'notTestable', reason: expect.stringContaining('took 10.0 s; lower --concurrency') },
    ]);
    expect(judgeTrials(rules, [failedRun(100, { killed: 'late' })])).toMatchObject([{ verdict: 'violation' }]);
  });

  it('is left open for a program that was killed after the machine had stalled', () => {
    expect(judgeTrials(rules, [failedRun(100, { stalledMs: 6000, killed: 'late' })])).toMatchObject([
      { verdict: 'notTestable', reason: expect.stringContaining('nothing ran for 6.0 s; lower --concurrency') },
    ]);
  });
});
