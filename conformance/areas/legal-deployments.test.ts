import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import type { Target } from '../core/target.ts';
import type { Observation, SessionObservation } from '../common/observed-session.ts';
import { createAnswer as answer, judgeRequirement, unservedTarget as target } from '../testing/judge-requirement.ts';

const ownTasks: Target = { ...target, tasks: { ...target.tasks, succeed: 'test: succeed', fail: 'test: fail' } };

function observed(record: JsonObject): Observation {
  return { exchange: answer(200, record), record };
}

function session(...records: [JsonObject, ...JsonObject[]]): SessionObservation & { after: Observation[] } {
  const fetches = records.map(observed);
  const end = fetches.at(-1) ?? observed(records[0]);
  return { id: 's', request: {}, dispatched: answer(202, { id: 's' }), fetches, end, after: [] };
}

describe('a session that was created and is not found', () => {
  const own = '$SERVICE_API_KEY';
  const sent = (index: number, method: string, { status, key = own }: { status: number; key?: string }): Exchange => {
    const operation = { POST: 'createSession', DELETE: 'deleteSession' }[method] ?? 'getSession';
    const url = `${target.url}/api/v3/sessions${method === 'POST' ? '' : '/s'}`;
    const request = { method, url, headers: { [target.keyHeader]: key } };
    return { ...answer(status, status === 200 ? { id: 's' } : {}, operation), index, atMs: index, request };
  };
  const fetched = sent(2, 'GET', { status: 404 });

  it.each<[string, Exchange[]]>([
    ['it belongs to another project', [sent(0, 'POST', { status: 200, key: '$SVC_OTHER_API_KEY' })]],
    ['it was deleted before', [sent(0, 'POST', { status: 200 }), sent(1, 'DELETE', { status: 204 })]],
  ])('is no violation if %s', async (_, before) => {
    const judgement = await judgeRequirement('IDENTITY-03', { exchanges: [...before, fetched] });
    expect(judgement.verdict).toBe('notTestable');
  });

  it('is a violation otherwise', async () => {
    const exchanges = [sent(0, 'POST', { status: 200 }), fetched];
    expect((await judgeRequirement('IDENTITY-03', { exchanges })).verdict).toBe('violation');
  });
});

describe('the spellings of the own-key option without knowledge of a stored key', () => {
  it.each([
    ['are judged: only the snake case is accepted', [422, 201], 'violation'],
    ['are judged: both are accepted', [201, 201], 'pass'],
    ['are not compared while the project is at its limit', [429, 201], 'pass'],
    ['are not judged without a key', [422, 422], 'notTestable'],
    ['are not judged if the snake case is prose', [201, 422], 'notTestable'],
  ] as const)('%s', async (_, [camel, snake], verdict) => {
    const recorded = [{ model: 'gpt-5-mini', camelCase: answer(camel), snakeCase: answer(snake) }];
    expect(await judgeRequirement('V3-CREATE-06', { recorded })).toMatchObject({ verdict });
  });
});

describe('the sum of the costs', () => {
  const record = ([llm, proxy, browser]: readonly [string, string, string], total: string): JsonObject => ({
    llmCostUsd: llm,
    proxyCostUsd: proxy,
    browserCostUsd: browser,
    totalCostUsd: total,
  });

  it.each([
    ['a total in cents that rounds to zero', record(['0.002', '0.001', '0.001'], '0.00')],
    ['parts in cents', record(['0.00', '0.00', '0.00'], '0.0134')],
    ['a total in cents', record(['0.0134', '0.0004', '0.0000'], '0.01')],
  ])('may be rounded: %s', async (_, shown) => {
    expect(await judgeRequirement('V3-SESSION-40', { records: [shown] })).toMatchObject({ verdict: 'pass' });
  });

  it('may not be a cent too high with six digits', async () => {
    const records = [record(['0.010000', '0.001000', '0.000300'], '0.021300')];
    expect(await judgeRequirement('V3-SESSION-40', { records })).toMatchObject({ verdict: 'violation' });
  });
});

describe('a task that was stopped while it ran', () => {
  const url = `${target.url}/api/v3/sessions`;
  const slow = { ...target, tasks: { ...target.tasks, slow: 'test: slow' } };
  const sent = (request: Exchange['request'], exchange: Partial<Exchange>, json: JsonObject): Exchange => ({
    ...answer(200, json),
    ...exchange,
    request,
  });
  /**
   * Returns the exchanges of a session that is shown as running after one second, and as successful after a stop whose
   * request took `durationMs`.
   */
  const succeededAfterStop = (durationMs: number, output: string | null): Exchange[] => [
    sent(
      { method: 'POST', url, headers: {}, body: JSON.stringify({ task: 'test: slow', keepAlive: true }) },
      { index: 0, operation: 'createSession' },
      { id: 's' },
    ),
    sent({ method: 'GET', url: `${url}/s`, headers: {} }, { index: 1, atMs: 1000 }, { id: 's', status: 'running' }),
    sent(
      { method: 'POST', url: `${url}/s/stop`, headers: {}, body: '{}' },
      { index: 2, operation: 'stopSession', atMs: 1010, durationMs },
      {},
    ),
    sent(
      { method: 'GET', url: `${url}/s`, headers: {} },
      { index: 3, atMs: 2000 },
      { id: 's', status: 'stopped', isTaskSuccessful: true, output },
    ),
  ];

  it.each([
    { durationMs: 5, output: 'done', verdict: 'violation' },
    { durationMs: 400, output: null, verdict: 'violation' },
    { durationMs: 400, output: 'done', verdict: 'pass' },
  ])('may have ended before a stop of $durationMs ms, with the output $output: $verdict', async (one) => {
    const exchanges = succeededAfterStop(one.durationMs, one.output);
    expect(await judgeRequirement('V3-HISTORY-09', { on: slow, exchanges })).toMatchObject({ verdict: one.verdict });
  });
});

describe('a creation', () => {
  const ids = ['V3-CREATE-01', 'V3-CREATE-03', 'V3-THINK-23', 'VER-09'];

  it.each([402, 403, 429, 503, 0].flatMap((status) => ids.map((id) => [status, id] as const)))(
    'that gets %i says nothing of %s',
    async (status, id) => {
      const judgement = await judgeRequirement(id, { refused: answer(status) });
      expect(judgement.verdict).toBe('notTestable');
      expect(judgement.reason).toContain(status === 0 ? 'no answer' : String(status));
    },
  );

  it.each(ids)('that is refused as wrong breaks %s', async (id) => {
    expect(await judgeRequirement(id, { refused: answer(422) })).toMatchObject({ verdict: 'violation' });
  });
});

describe('a follow-up that gets 409', () => {
  const refusedAfter = (status: string): { followUps: unknown[] } => {
    const task = { ...session({ status }), before: { status: 'idle' }, dispatched: answer(409) };
    return { followUps: [task, task] };
  };

  it('is not judged when the session runs after all', async () => {
    const judgement = await judgeRequirement('V3-FOLLOW-02', { recorded: refusedAfter('running') });
    expect(judgement).toMatchObject({ verdict: 'notTestable' });
  });

  it('is a violation when the session stays idle', async () => {
    const judgement = await judgeRequirement('V3-FOLLOW-02', { recorded: refusedAfter('idle') });
    expect(judgement).toMatchObject({ verdict: 'violation' });
  });
});

describe('a task that was accepted before the session was seen to start', () => {
  const early = (before: string, isTaskSuccessful: boolean | null): unknown => ({
    before,
    exchange: answer(200),
    after: observed({ status: 'running' }),
    idle: { before: observed({ status: 'idle', stepCount: 1, isTaskSuccessful }), invalid: [], first: undefined },
  });

  it.each([
    ['idle', true, 'pass'],
    ['idle', null, 'notTestable'],
    ['created', true, 'notTestable'],
  ])('in a session that was %s, and ends with %s, gives the verdict %s', async (before, success, verdict) => {
    const judgement = await judgeRequirement('V3-FOLLOW-04', { recorded: early(before, success) });
    expect(judgement.verdict).toBe(verdict);
  });
});

describe('a level that a session record leaves out', () => {
  const recorded = session({ id: 's', status: 'stopped' });

  it('is null where another session shows one', async () => {
    const other = { id: 'o', status: 'idle', model: 'glm-5.2', thinkingLevel: 'high', createdAt: '', updatedAt: '' };
    expect((await judgeRequirement('VER-10', { recorded, records: [other] })).verdict).toBe('pass');
  });

  it('is unknown where no session shows one', async () => {
    expect((await judgeRequirement('VER-10', { recorded })).verdict).toBe('notTestable');
  });
});

describe('a deadline of the suite', () => {
  const waits = session({ status: 'created', recordingUrls: [] });

  it.each([
    ['LIFE-05', { session: waits }],
    ['LIFE-09', waits],
    ['LIFE-20', waits],
    ['V3-GET-04', waits],
    ['SVC-01', { ...waits, looks: [{ phase: 'pending', status: 'queued', exchange: answer(200) }] }],
  ])('is no violation of %s, except on a target of the tester', async (id, recorded) => {
    const judgement = await judgeRequirement(id, { recorded });
    expect(judgement.verdict).toBe('notTestable');
    expect(judgement.reason).toMatch(/\d+ ms/);
    expect((await judgeRequirement(id, { recorded, on: ownTasks })).verdict).toBe('violation');
    const controlled = { ...target, control: 'http://127.0.0.1:2' };
    expect((await judgeRequirement(id, { recorded, on: controlled })).verdict).toBe('violation');
  });
});

describe('an effect that is not visible after the settle deadline', () => {
  const stopping = { before: session({}).end, exchange: answer(202), after: [observed({ status: 'running' })] };

  it.each([
    ['LIFE-17', { stopped: stopping }],
    ['V3-STOP-02', { stopped: stopping }],
    ['V3-CREATE-11', session({ status: 'stopped', recordingUrls: [] })],
  ])('breaks %s, also on a target without a control address', async (id, recorded) => {
    const judgement = await judgeRequirement(id, { recorded });
    expect(judgement.verdict).toBe('violation');
    expect(JSON.stringify(judgement)).toMatch(/20000 ms/);
  });
});

describe('the outcome of a task', () => {
  it.each([
    ['V3-SESSION-19', false],
    ['V3-SESSION-20', true],
  ])('%s is judged on a test task only', async (id, isTaskSuccessful) => {
    const recorded = session({ status: 'stopped', isTaskSuccessful });
    expect((await judgeRequirement(id, { recorded })).verdict).toBe('notTestable');
    expect((await judgeRequirement(id, { recorded, on: ownTasks })).verdict).toBe('violation');
  });
});
