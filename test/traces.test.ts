import { once } from 'node:events';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createOfflinePlanner } from '#planner/index.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { type Traces, createTraces } from '#platform/traces/create-traces.ts';
import { parseTraceparent } from '#platform/traces/create-otel-tracer.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
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

  /** Uses each kind of operation once, and then ends the service, so that all recorded spans are sent. */
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
    // The SDK starts a span at a whole millisecond, and ends it after the measured work.
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

  it('name the service', () => {
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

describe('a websocket', () => {
  let collector: Collector;
  let started: StartedBackend;
  let browserId: string;
  let sessionId: string;
  const tokens: string[] = [];

  /** Opens connections that end in different ways; the last connection ends with the service. */
  beforeAll(async () => {
    collector = await startCollector();
    const traces = createTraces({ ...quiet, url: collector.address });
    started = await startBackend({ tracer: traces.tracer, log: pino({ level: 'silent' }) });
    const [v3, v4] = [createApiClient(started.address), createApiClient(started.address, testKey, 'v4')];
    const { body: browser } = await v4.call('POST', '/browsers', {});
    const { body: other } = await v4.call('POST', '/browsers', {});
    const { body: session } = await v3.call('POST', '/sessions', {});
    [browserId, sessionId] = [String(browser['id']), String(session['id'])];
    tokens.push(
      ...[browser['cdpUrl'], other['cdpUrl'], session['liveUrl']].map((url) => String(url).split('/').at(-1) ?? ''),
    );
    const client = await open(String(browser['cdpUrl']), { traceparent: `00-${caller.traceId}-${caller.spanId}-00` });
    for (const id of [1, 2]) {
      client.send(JSON.stringify({ id, method: 'Browser.getVersion', params: { word } }));
      await once(client, 'message');
    }
    client.close(1000, word);
    await once(client, 'close');
    const stopped = await open(String(browser['cdpUrl']));
    const closed = once(stopped, 'close');
    await v4.call('PATCH', `/browsers/${browserId}`, { action: 'stop' });
    await closed;
    const live = `${String(session['liveUrl']).replace('http', 'ws')}/socket`;
    const viewer = await open(live);
    const gone = once(viewer, 'close');
    viewer.terminate();
    await gone;
    const last = await open(String(other['cdpUrl']));
    const ended = once(last, 'close');
    await started.stop();
    await ended;
    await traces.close();
  });
  afterAll(() => collector.close());

  const connections = (): readonly SeenSpan[] => collector.spans.filter(({ facts }) => 'svc.connection.end' in facts);
  const endedWith = (end: string): SeenSpan =>
    connections().find(({ facts }) => facts['svc.connection.end'] === end) ?? expect.unreachable(`none was ${end}`);

  it('has a span from its handshake to its end, in the trace of its caller', () => {
    const span = endedWith('left');
    expect(span).toMatchObject({
      name: 'DevTools client',
      kind: 2,
      status: 0,
      traceId: caller.traceId,
      parentSpanId: caller.spanId,
    });
    expect(span.facts).toEqual({
      'network.protocol.name': 'websocket',
      'svc.browser.id': browserId,
      'svc.connection.code': 1000,
      'svc.connection.end': 'left',
      'svc.connection.messages.received': 2,
      'svc.connection.bytes.received': expect.any(Number),
      'svc.connection.bytes.sent': expect.any(Number),
    });
    // The received bytes are two messages with their frames, and the sent bytes are their answers.
    const sent = JSON.stringify({ id: 1, method: 'Browser.getVersion', params: { word } }).length;
    expect(span.facts['svc.connection.bytes.received']).toBeGreaterThan(2 * sent);
    expect(span.facts['svc.connection.bytes.received']).toBeLessThan(4 * sent);
    expect(span.facts['svc.connection.bytes.sent']).toBeGreaterThan(100);
    expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
  });

  it('says how it ended: with its browser, with the service, or with no word', () => {
    expect(endedWith('ended')).toMatchObject({ facts: { 'svc.connection.code': 1001, 'svc.browser.id': browserId } });
    expect(endedWith('shuttingDown')).toMatchObject({ name: 'DevTools client', parentSpanId: '' });
    expect(endedWith('lost')).toMatchObject({
      name: 'live viewer',
      status: 0,
      facts: { 'svc.session.id': sessionId, 'svc.live.mode': 'interactive', 'svc.connection.code': 1006 },
    });
    expect(connections()).toHaveLength(4);
  });

  it('tells no token, and no word that went over it', () => {
    const text = collector.text();
    expect(tokens.filter((token) => token.length < 20 || text.includes(token))).toEqual([]);
    expect(text).not.toContain(word);
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
  it("is the operator's: a share of zero records none, whatever a caller wants", async () => {
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
/** Rules with a timeout of 300 ms for sending traces. */
const impatient: RuleBook = {
  ...defaultRules,
  limits: {
    ...defaultRules.limits,
    limits: defaultRules.limits.limits.map((row) => (row.limit === 'tracesSending' ? { ...row, value: 300 } : row)),
  },
};

/** Opens a WebSocket connection; resolves after the handshake. */
async function open(address: string, headers: Readonly<Record<string, string>> = {}): Promise<WebSocket> {
  const socket = new WebSocket(address, { headers });
  await once(socket, 'open');
  return socket;
}

function disposable(collector: Collector): Collector & AsyncDisposable {
  return Object.assign(collector, { [Symbol.asyncDispose]: () => collector.close() });
}
