import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createSimulatedHost } from '#browsers/index.ts';
import { createMetrics, metricNames } from '#platform/metrics/create-metrics.ts';
import type { ModelAnswer } from '#agent/model/model-call.ts';
import type { SessionStatus } from '#generated/states.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type Figures, readMetrics } from './support/read-metrics.ts';
import { startBackend } from './support/start-backend.ts';

const launch = { sessionId: 'one', screen: { width: 800, height: 600 }, proxyCountryCode: null };

async function readFigures(metrics: ReturnType<typeof createMetrics>): Promise<Figures> {
  return readMetrics((await metrics.read()).text);
}

it('counts requests by operation and status, and how long they took', async () => {
  const metrics = createMetrics();
  metrics.observe({ operation: 'v4 createRun', status: 202, ms: 30 });
  metrics.observe({ operation: 'v4 createRun', status: 422, ms: 3 });
  const found = await readFigures(metrics);
  expect(found.get('svc_http_requests_total{operation="v4 createRun",status="202"}')).toBe(1);
  expect(found.get('svc_http_requests_total{operation="v4 createRun",status="422"}')).toBe(1);
  expect(found.get('svc_http_request_duration_seconds_bucket{le="0.005",operation="v4 createRun"}')).toBe(1);
  expect(found.get('svc_http_request_duration_seconds_bucket{le="+Inf",operation="v4 createRun"}')).toBe(2);
  expect(found.get('svc_http_request_duration_seconds_sum{operation="v4 createRun"}')).toBeCloseTo(0.033);
});

it('counts starts and ends of browsers, and those that run', async () => {
  const metrics = createMetrics();
  const simulated = createSimulatedHost();
  const host = metrics.host(simulated);
  const crashing = await host.launch(launch);
  const stopped = await host.launch({ ...launch, sessionId: 'two' });
  await host.launch({ ...launch, sessionId: 'three', use: 'browser' });
  const alsoStopped = await host.launch({ ...launch, sessionId: 'four' });
  await expect(host.launch({ ...launch, sessionId: 'three' })).rejects.toThrow('running already');
  simulated.crash('one');
  await Promise.all([crashing.ended, stopped.stop(), alsoStopped.stop()]);
  const found = await readFigures(metrics);
  expect(found.get('svc_browser_starts_total{outcome="started"}')).toBe(4);
  expect(found.get('svc_browser_starts_total{outcome="failed"}')).toBe(1);
  expect(found.get('svc_browser_ends_total{outcome="crashed"}')).toBe(1);
  expect(found.get('svc_browser_ends_total{outcome="stopped"}')).toBe(2);
  expect([...found].filter(([name]) => name.startsWith('svc_browsers'))).toEqual([
    ['svc_browsers{state="waiting"}', 0],
    ['svc_browsers{state="ready"}', 0],
    ['svc_browsers{state="running",use="session"}', 0],
    ['svc_browsers{state="running",use="browser"}', 1],
  ]);
  expect(found.get('svc_browser_start_duration_seconds_count')).toBe(4);
  await host.close();
});

it('counts encoders as long as they are open', async () => {
  const metrics = createMetrics();
  const host = metrics.host(createSimulatedHost());
  const size = { width: 2, height: 2 };
  const [first] = await Promise.all([host.openEncoder(size), host.openEncoder(size)]);
  expect((await readFigures(metrics)).get('svc_video_encoders')).toBe(2);
  await first?.close();
  await first?.close();
  expect((await readFigures(metrics)).get('svc_video_encoders')).toBe(1);
  await host.close();
});

it('counts calls of models, their tokens and what they cost, by provider', async () => {
  const metrics = createMetrics();
  const usage = { inputTokens: 1_000_000, outputTokens: 2_000_000 };
  const answers: ModelAnswer[] = [
    { ok: true, reply: { text: '', toolCalls: [], end: 'done', usage, replay: null } },
    { ok: false, failure: { kind: 'overloaded', message: 'no' }, usage: { inputTokens: 0, outputTokens: 0 } },
  ];
  const call = async (): Promise<ModelAnswer> => answers.shift() ?? Promise.reject(new Error('no answer is left'));
  const client = { call, seesImages: false, hasNativeOutput: false };
  const models = metrics.models({ clientFor: async () => client, routes: new Map() }, defaultRules);
  const model = defaultRules.models.v3.models.find(({ provider }) => provider === 'openai')?.name ?? '';
  const choice = { generation: 'v3', model, thinkingLevel: null, modelParams: null, ownKey: null } as const;
  const counted = await models.clientFor(choice);
  const request = {
    system: '',
    messages: [],
    tools: [],
    toolChoice: 'none',
    outputSchema: null,
    maxOutputTokens: 1,
  } as const;
  for (const _ of [1, 2]) await counted?.call(request, new AbortController().signal);
  const found = await readFigures(metrics);
  expect(found.get('svc_model_calls_total{provider="openai",outcome="ok"}')).toBe(1);
  expect(found.get('svc_model_calls_total{provider="openai",outcome="overloaded"}')).toBe(1);
  expect(found.get('svc_model_tokens_total{provider="openai",direction="input"}')).toBe(1_000_000);
  expect(found.get('svc_model_tokens_total{provider="openai",direction="output"}')).toBe(2_000_000);
  const row = defaultRules.pricing.models.find((one) => one.model === model) ?? defaultRules.pricing.anyModel;
  const micros = row.microUsdPerMillionInputTokens + 2 * row.microUsdPerMillionOutputTokens;
  expect(found.get('svc_model_cost_usd_total{provider="openai"}')).toBeCloseTo(micros / 1e6);
});

it('counts the living sessions of a service, and not those that have ended', async () => {
  const started = await startBackend();
  const { backend, address } = started;
  const metrics = createMetrics();
  metrics.watch({ ...backend, rules: defaultRules });
  const session = (status: SessionStatus, generation: string, resumable: 0 | 1): Promise<unknown> =>
    backend.db
      .updateTable('sessions')
      .set({ status, resumable })
      .where('generation', '=', generation as 'v2')
      .execute();
  const headers = { 'x-service-api-key': 'svc_test_key', 'content-type': 'application/json' };
  for (const version of ['v2', 'v3'])
    await fetch(`${address}/api/${version}/sessions`, { method: 'POST', headers, body: '{"keepAlive":true}' });
  await session('running', 'v2', 0);
  await session('stopped', 'v3', 0);
  const found = await readFigures(metrics);
  expect([...found].filter(([name]) => name.startsWith('svc_sessions'))).toEqual([
    ['svc_sessions{generation="v2",state="running"}', 1],
  ]);
  expect(found.get('svc_tasks_running')).toBe(0);
  expect(found.get('svc_messages_waiting')).toBe(0);
  expect(found.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  expect(found.has('process_resident_memory_bytes')).toBe(true);
  await started.stop();
});

it('the guide names every figure', () => {
  const guide = readFileSync('docs/guides/operate.md', 'utf8');
  expect(Object.keys(metricNames).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});
