import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createOfflinePlanner } from '#backend/agent/index.ts';
import { createSimulatedHost } from '#backend/browsers/index.ts';
import { type Traces, createTraces } from '#backend/traces/index.ts';
import { parseTraceparent } from '#backend/traces/parse-traceparent.ts';
import { type RuleBook, defaultRules } from '#domain/rule-book.ts';
import { createApiClient } from './support/api-client.ts';
import { asking, createScriptedModels, replied } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { type Collector, type SeenSpan, startCollector } from './support/start-collector.ts';

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const word = 'pomegranate';

describe('what a collector is told', () => {
  let collector: Collector;
  let traces: Traces;
  let started: StartedBackend;
  let runId: string;
  let queuedRunId: string;
  let spans: readonly SeenSpan[];

  /** One of each, then an end: what was drawn is sent by then at the latest. */
  beforeAll(async () => {
    collector = await startCollector();
    traces = createTraces({
      url: collector.address,
      name: 'the service',
      share: 1,
      rules: defaultRules,
      report: (told) => expect.unreachable(told),
    });
    started = await startBackend({
      tracer: traces.tracer,
      host: traces.host(createSimulatedHost()),
      agent: traces.agent(createOfflinePlanner({ testTasks: true })),
      log: pino({ level: 'silent' }),
    });
    await use();
    await started.stop();
    await traces.close();
    spans = collector.spans;
  });
  afterAll(async () => {
    await collector.close();
  });

  async function use(): Promise<void> {
    const api = createApiClient(started.address, testKey, 'v4');
    const headers = {
      'x-service-api-key': testKey,
      'x-request-id': 'job-17',
      'content-type': 'application/json',
      traceparent: `00-${caller.traceId}-${caller.spanId}-00`,
      tracestate: `vendor=${word}`,
    };
    const body = JSON.stringify({ task: `Open https://shop.example/${word}, read the title` });
    const answer = await fetch(`${started.address}/api/v4/runs?x=${word}`, { method: 'POST', headers, body });
    runId = String(Object(await answer.json()).id);
    await api.until(runId, ({ status }) => status === 'completed', 60_000);
    const slow = (await api.call('POST', '/runs', { task: 'svc-test: slow 60' })).body;
    const queued = await api.call('POST', `/sessions/${String(slow['sessionId'])}/queue`, { text: 'Say x' });
    started.clock.advance(90_000);
    await api.until(
      String(slow['id']),
      ({ status }) => (started.clock.advance(20_000), status === 'completed'),
      60_000,
    );
    const messages = `/sessions/${String(slow['sessionId'])}/queue/${String(queued.body['id'])}`;
    queuedRunId = await vi.waitFor(async () => {
      const { body: message } = await api.call('GET', messages);
      if (typeof message['runId'] !== 'string') throw new Error('the message waits');
      return message['runId'];
    }, patient);
    await api.until(queuedRunId, ({ status }) => status === 'completed', 60_000);
    await api.call('GET', `/runs/${uuid}`);
    await fetch(`${started.address}/live/${'a'.repeat(32)}`);
    await fetch(`${started.address}/nowhere/${word}`);
    await fetch(`${started.address}/healthz`);
  }

  const named = (name: string): SeenSpan => {
    const found = spans.filter((span) => span.name === name);
    return found[0] ?? expect.unreachable(`no span is called ${name}`);
  };
  const below = (parent: SeenSpan): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent.spanId)
      .toSorted((one, other) => one.startMs - other.startMs)
      .map(({ name }) => name);

  it('a request, as the conventions of HTTP have it, in the trace of its caller', () => {
    const request = named('POST /api/v4/runs');
    expect(request).toMatchObject({ kind: 2, traceId: caller.traceId, parentSpanId: caller.spanId, status: 0 });
    expect(request.facts).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.route': '/api/v4/runs',
      'url.scheme': 'http',
      'url.path': '/api/v4/runs',
      'svc.operation': 'v4 createRun',
      'svc.request.id': 'job-17',
    });
  });

  it('its stages, one after another, and the browser that it starts', () => {
    const request = named('POST /api/v4/runs');
    expect(below(request).slice(0, 4)).toEqual(['authenticate', 'parse', 'decide', 'apply']);
    const apply = spans.find(({ name, parentSpanId }) => name === 'apply' && parentSpanId === request.spanId);
    expect(below(apply ?? expect.unreachable())).toContain('start browser');
    expect(named('start browser').facts).toEqual({
      'svc.browser.use': 'session',
      'svc.browser.start': 'started',
      'svc.session.id': expect.any(String),
    });
  });

  it('a task as a trace of its own that names the request, with its steps', () => {
    const task = named('task');
    const cause = spans.find(({ spanId }) => spanId === task.links[0]);
    expect([task.parentSpanId, cause?.traceId]).toEqual(['', caller.traceId]);
    expect(task.traceId).not.toBe(caller.traceId);
    expect(task.facts).toEqual({
      'svc.session.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'svc.run.id': runId,
      'svc.task.end': 'achieved',
    });
    expect(below(task)).toEqual(['step', 'step', 'finish']);
    const steps = spans.filter(({ name, traceId }) => name === 'step' && traceId === task.traceId);
    expect(steps.map(({ facts }) => facts)).toEqual([{ 'svc.step.action': 'open' }, { 'svc.step.action': 'read' }]);
    const [first, second] = steps;
    // The SDK begins a span at a whole millisecond and ends it after what it measured.
    expect(second?.startMs).toBeGreaterThanOrEqual(Math.floor(first?.endMs ?? Number.NaN));
  });

  it('a task that waited for another one names the request that it came with', () => {
    const task = spans.find(({ name, facts }) => name === 'task' && facts['svc.run.id'] === queuedRunId);
    const cause = spans.find(({ spanId }) => spanId === task?.links[0]);
    const request = spans.find(({ spanId }) => spanId === cause?.parentSpanId);
    expect([cause?.name, request?.name]).toEqual(['apply', 'POST /api/v4/sessions/{session_id}/queue']);
  });

  it('of a thing that is not there, of an address that nothing takes, of one that is a right: no word of theirs', () => {
    expect(named('GET /api/v4/runs/{run_id}').facts).toMatchObject({ 'http.route': '/api/v4/runs/{run_id}' });
    const missing = spans.find(({ facts }) => facts['url.path'] === `/api/v4/runs/${uuid}`);
    expect(missing?.facts['http.response.status_code']).toBe(404);
    expect(named('GET').facts).not.toHaveProperty('http.route');
    expect(spans.map(({ facts }) => facts['url.path'])).toContain('/live/…');
    const text = collector.text().replaceAll(`/nowhere/${word}`, '');
    expect(text).not.toMatch(/pomegranate|svc_test_key|aaaaaaaa|healthz/);
  });

  it('who speaks', () => {
    expect(collector.resource()).toMatchObject({
      'service.name': 'the service',
      'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(collector.headers()['content-type']).toBe('application/json');
  });
});

describe('a call of a model', () => {
  it('is told with its provider, model and tokens, and without its words', async () => {
    await using collector = disposable(await startCollector());
    const traces = createTraces({ ...quiet, url: `${collector.address}/v1/traces` });
    const scripted = createScriptedModels();
    scripted.answering = async () => replied(30, 4);
    const choice = { generation: 'v4', model: 'gpt-5.6-luna', thinkingLevel: null, modelParams: null } as const;
    const client = await traces.models(scripted, defaultRules).clientFor({ ...choice, ownKey: null });
    const { signal } = new AbortController();
    await client?.call(asking(9, word), signal);
    scripted.answering = async () => ({
      ok: false,
      failure: { kind: 'overloaded', message: word },
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    await client?.call(asking(9, word), signal);
    scripted.answering = () => Promise.reject(new TypeError(word));
    await expect(client?.call(asking(9, word), signal)).rejects.toThrow(word);
    await traces.close();
    const facts = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5.6-luna',
    };
    const usage = (input: number, output: number): object => ({
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
    });
    expect(collector.spans.map(({ name, kind, status, facts: found }) => ({ name, kind, status, found }))).toEqual([
      { name: 'chat gpt-5.6-luna', kind: 3, status: 0, found: { ...facts, ...usage(30, 4) } },
      {
        name: 'chat gpt-5.6-luna',
        kind: 3,
        status: 0,
        found: { ...facts, ...usage(0, 0), 'error.type': 'overloaded' },
      },
      { name: 'chat gpt-5.6-luna', kind: 3, status: 2, found: { ...facts, 'error.type': 'TypeError' } },
    ]);
    expect(collector.text()).not.toContain(word);
  });
});

describe('a collector that does not take spans', () => {
  const queue = 2048;
  const draw = async ({ tracer }: Traces, count: number): Promise<void> => {
    for (let drawn = 0; drawn < count; drawn += 1) await tracer.span({ name: 'work' }, async () => undefined);
  };
  const said = (): { words: string[]; report: (word: string) => void } => {
    const words: string[] = [];
    return { words, report: (told) => void words.push(told) };
  };

  it('and hangs: what is too much is dropped, and the end does not wait for it', async () => {
    await using collector = disposable(await startCollector());
    collector.behaviour = 'hangs';
    const { words, report } = said();
    const traces = createTraces({ ...quiet, rules: impatient, url: collector.address, report });
    await draw(traces, 3 * queue);
    await traces.close();
    expect(words).toContain('unsent');
    expect(collector.count()).toBeLessThanOrEqual(1 + queue / 512);
  });

  it('because it is down: it is told once, and once when it is there again', async () => {
    const gone = await startCollector();
    await gone.close();
    const { words, report } = said();
    const traces = createTraces({ ...quiet, rules: impatient, url: gone.address, report });
    await draw(traces, 512);
    await expect.poll(() => words, patient).toEqual(['unsent']);
    await draw(traces, 512);
    await using collector = disposable(await startCollector(Number(new URL(gone.address).port)));
    await expect.poll(async () => (await draw(traces, 512), words), patient).toEqual(['unsent', 'sent again']);
    await traces.close();
    expect(collector.spans.length).toBeGreaterThanOrEqual(512);
  });

  it('or answers that it will not: the same', async () => {
    await using collector = disposable(await startCollector());
    collector.behaviour = 'refuses';
    const { words, report } = said();
    const traces = createTraces({ ...quiet, rules: impatient, url: collector.address, report });
    await draw(traces, 1);
    await traces.close();
    expect(words[0]).toBe('unsent');
  });
});

describe('the share of traces that are drawn', () => {
  it("is the operator's: none is none, whatever a caller wants", async () => {
    await using collector = disposable(await startCollector());
    const traces = createTraces({ ...quiet, share: 0, url: collector.address });
    const span = traces.tracer.request(`00-${caller.traceId}-${caller.spanId}-01`);
    span.run(() => expect(traces.tracer.current()?.traceId).toBe(caller.traceId));
    span.end({ name: 'GET', facts: {} });
    await traces.close();
    expect(collector.count()).toBe(0);
  });
});

describe('a traceparent', () => {
  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', true],
    ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', true],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', false],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', false],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', false],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', false],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', false],
    ['', false],
  ])('%s names a span: %s', (text, isOne) => {
    expect(parseTraceparent(text)?.traceId).toBe(isOne ? caller.traceId : undefined);
  });
});

const patient = { timeout: 60_000 };
const quiet = { name: 'svc', share: 1, rules: defaultRules, report: (): void => undefined };
/** Waits and pauses of a test. */
const impatient: RuleBook = {
  ...defaultRules,
  limits: {
    ...defaultRules.limits,
    limits: defaultRules.limits.limits.map((row) => (row.limit === 'tracesSending' ? { ...row, value: 300 } : row)),
  },
};

function disposable(collector: Collector): Collector & AsyncDisposable {
  return Object.assign(collector, { [Symbol.asyncDispose]: () => collector.close() });
}
