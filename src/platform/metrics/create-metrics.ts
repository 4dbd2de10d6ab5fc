import { browserStatus } from '#generated/states.ts';
import { type FastifyInstance, fastify } from 'fastify';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ModelAnswer, ModelClient, ModelProviders } from '#agent/model/model-call.ts';
import type { BrowserHost, HostedBrowser, LaunchOptions } from '#browsers/host.ts';
import { HostBusy } from '#browsers/index.ts';
import { liveStates } from '#contract/lifecycle.ts';
import { modelRoute, normaliseModel } from '#contract/models.ts';
import { type TokenPrice, tokenPicos, tokenPrice } from '#contract/money.ts';
import { type RuleBook, getLimit } from '#contract/rule-book.ts';
import { countSessionsByStatus, countWaitingMessages } from '#store/queries/counts.ts';
import type { Database } from '#store/database.ts';

/** A response with the members that metrics count. */
export interface Answered {
  /** An operation such as `v4 createRun`, a route pattern such as `/screenshots/:key`, or `unknown`. */
  readonly operation: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Milliseconds until the last byte of the response was passed to the network. */
  readonly ms: number;
}

/** The metrics of one service. */
export interface Metrics {
  /** Counts a response. */
  observe(answered: Answered): void;
  /** Wraps a host to count its browsers; may be called once. */
  host(host: BrowserHost): BrowserHost;
  /** Wraps model providers to count their calls; may be called once. */
  models(models: ModelProviders, rules: RuleBook): ModelProviders;
  /** Starts to read the state of a running service; may be called once. */
  watch(service: Watched): void;
  /** Returns all metrics in the Prometheus text format, with its content type. */
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/** Parts of a service whose state is measured. */
export interface Watched {
  readonly db: Database;
  /** Number of running tasks. */
  readonly engine: { readonly tasks: { readonly count: number } };
  readonly rules: RuleBook;
}

const msPerSecond = 1_000;

/** Creates metrics of the process and of responses; `host`, `models` and `watch` add further metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const make = createMeterMaker(registry);
  const requests = make.counter('svc_http_requests_total', ['operation', 'status']);
  const durations = make.histogram('svc_http_request_duration_seconds', ['operation']);
  return {
    observe({ operation, status, ms }) {
      requests.inc({ operation, status });
      durations.observe({ operation }, ms / msPerSecond);
    },
    host: (host) => meteredHost(host, make),
    models: (models, rules) => meteredModels(models, rules, make),
    watch({ db, engine, rules }) {
      make.gauge('svc_tasks_running', [], (gauge) => gauge.set(engine.tasks.count));
      // Metrics that need an unavailable database are left out; the others are especially useful then.
      const ms = getLimit(rules, 'databaseWait');
      make.gauge('svc_messages_waiting', [], async (gauge) => {
        const count = await unlessLate(ms, countWaitingMessages(db));
        if (count !== null) gauge.set(count);
      });
      make.gauge('svc_sessions', ['generation', 'state'], async (gauge) => {
        const living = liveStates(rules.lifecycle);
        for (const { generation, status, count } of (await unlessLate(ms, countSessionsByStatus(db, living))) ?? [])
          gauge.set({ generation, state: status }, count);
      });
    },
    read: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

/** Returns the result of work, or null when it takes longer than `ms` milliseconds; the work itself continues. */
async function unlessLate<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Use = NonNullable<LaunchOptions['use']>;

/** Wraps a host to count starts and ends by outcome, and running browsers by use. */
function meteredHost(host: BrowserHost, make: MeterMaker): BrowserHost {
  const starts = make.counter('svc_browser_starts_total', ['outcome']);
  const durations = make.histogram('svc_browser_start_duration_seconds', []);
  const ends = make.counter('svc_browser_ends_total', ['outcome']);
  const running: Record<Use, number> = { session: 0, browser: 0 };
  make.gauge('svc_browsers', ['state', 'use'], (gauge) => {
    const { waiting, ready } = host.figures();
    gauge.set({ state: 'waiting' }, waiting);
    gauge.set({ state: 'ready' }, ready);
    for (const [use, count] of Object.entries(running)) gauge.set({ state: 'running', use }, count);
  });
  const follow = async ({ ended }: HostedBrowser, use: Use): Promise<void> => {
    running[use] += 1;
    const { expected } = await ended;
    running[use] -= 1;
    ends.inc({ outcome: expected ? browserStatus.stopped : 'crashed' });
  };
  return {
    ...meteredEncoders(host, make),
    async launch(wanted) {
      const seconds = durations.startTimer();
      try {
        const browser = await host.launch(wanted);
        starts.inc({ outcome: 'started' });
        seconds();
        void follow(browser, wanted.use ?? 'session');
        return browser;
      } catch (error) {
        starts.inc({ outcome: error instanceof HostBusy ? 'busy' : 'failed' });
        throw error;
      }
    },
  };
}

/** Wraps a host to count open video encoders. */
function meteredEncoders(host: BrowserHost, make: MeterMaker): BrowserHost {
  const open = new Set<object>();
  make.gauge('svc_video_encoders', [], (gauge) => gauge.set(open.size));
  return {
    ...host,
    async openEncoder(size) {
      const encoder = await host.openEncoder(size);
      open.add(encoder);
      return {
        encode: (jpeg, place) => encoder.encode(jpeg, place),
        close() {
          open.delete(encoder);
          return encoder.close();
        },
      };
    },
  };
}

const picosPerUsd = 1e12;

/** Wraps providers to count model calls by provider. The model is not a label, because callers choose it. */
function meteredModels(models: ModelProviders, rules: RuleBook, make: MeterMaker): ModelProviders {
  const book = createBook(make);
  return {
    ...models,
    async clientFor(choice) {
      const client = await models.clientFor(choice);
      if (client === null) return null;
      const { generation, ownKey } = choice;
      const provider = modelRoute(rules, generation, choice.model)?.provider ?? 'unknown';
      const model = normaliseModel(rules, generation, choice.model);
      const price = tokenPrice(rules.pricing, { model, isOwnKey: ownKey !== null });
      return metered(client, (call) => book({ provider, price }, call));
    },
  };
}

type Book = (of: { readonly provider: string; readonly price: TokenPrice }, call: Call) => Promise<ModelAnswer>;

type Call = () => Promise<ModelAnswer>;

function createBook(make: MeterMaker): Book {
  const calls = make.counter('svc_model_calls_total', ['provider', 'outcome']);
  const durations = make.histogram('svc_model_call_duration_seconds', ['provider']);
  const tokens = make.counter('svc_model_tokens_total', ['provider', 'direction']);
  const cost = make.counter('svc_model_cost_usd_total', ['provider']);
  return async ({ provider, price }, call) => {
    const seconds = durations.startTimer({ provider });
    const answer = await call();
    seconds();
    const usage = answer.ok ? answer.reply.usage : answer.usage;
    calls.inc({ provider, outcome: answer.ok ? 'ok' : answer.failure.kind });
    tokens.inc({ provider, direction: 'input' }, usage.inputTokens);
    tokens.inc({ provider, direction: 'output' }, usage.outputTokens);
    cost.inc({ provider }, tokenPicos(price, usage) / picosPerUsd);
    return answer;
  };
}

/** Wraps a client to count its calls. A call that rejects, because its task has ended, is not counted. */
function metered(client: ModelClient, book: (call: Call) => Promise<ModelAnswer>): ModelClient {
  return { ...client, call: (request, signal) => book(() => client.call(request, signal)) };
}

/** Creates the server of GET /metrics. It requires no key, so only Prometheus should be able to reach it. */
export function createMetricsServer(metrics: Pick<Metrics, 'read'>): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.get('/metrics', async (_request, reply) => {
    const { text, contentType } = await metrics.read();
    return reply.type(contentType).header('cache-control', 'no-store').send(text);
  });
  return app;
}

/** Maker of the metrics of a registry; each metric may be created once. */
export interface MeterMaker {
  counter<Label extends string>(name: MetricName, labels: readonly Label[]): Counter<Label>;
  histogram<Label extends string>(name: MetricName, labels: readonly Label[]): Histogram<Label>;
  /** Creates a gauge whose values are read each time that the metrics are read. */
  gauge<Label extends string>(
    name: MetricName,
    labels: readonly Label[],
    read: (gauge: Gauge<Label>) => void | Promise<void>,
  ): void;
}

/** Creates a maker of metrics in `registry`. The default registry of the package is not used, because it is global. */
function createMeterMaker(registry: Registry): MeterMaker {
  const registers = [registry];
  return {
    counter: (name, labels) => new Counter({ name, help: metricNames[name], labelNames: labels, registers }),
    histogram: (name, labels) =>
      new Histogram({ name, help: metricNames[name], labelNames: labels, registers, buckets: [...durationBuckets] }),
    gauge(name, labels, read) {
      const gauge: Gauge<(typeof labels)[number]> = new Gauge({
        name,
        help: metricNames[name],
        labelNames: labels,
        registers,
        collect(): void | Promise<void> {
          gauge.reset();
          return read(gauge);
        },
      });
    },
  };
}

/** All metrics by name, with their descriptions. Labels have few values: never an id, key, URL or text of a caller. */
export const metricNames = {
  svc_http_requests_total: 'Requests that were answered, by operation (or pattern of an address) and status.',
  svc_http_request_duration_seconds: 'Time from the first byte of a request to the last of its answer, by operation.',
  svc_sessions:
    'Living sessions by generation and state; idle sessions that outlive their browser (V4) are not counted.',
  svc_tasks_running: 'Tasks that an agent works on.',
  svc_messages_waiting: 'Messages that wait for the run before them.',
  svc_browsers:
    'Browsers of this process by state (running, waiting for their turn to start, ready to be handed out) and, of those that run, by use: session, browser.',
  svc_video_encoders: 'Videos that are being made of browsers.',
  svc_browser_starts_total: 'Browsers that were asked for, by outcome: started, busy (not admitted), failed.',
  svc_browser_start_duration_seconds:
    'Time until a browser that was asked for was there, the wait for its turn included.',
  svc_browser_ends_total: 'Browsers that ended, by cause: stopped on request, or crashed.',
  svc_model_calls_total: 'Calls of models by provider and outcome: ok, or the kind of failure after the last attempt.',
  svc_model_call_duration_seconds: 'Time of a call of a model with all of its attempts, by provider.',
  svc_model_tokens_total: 'Tokens by provider and direction: input, output.',
  svc_model_cost_usd_total: 'What these tokens are charged at the prices of the service, by provider.',
} as const;

/** The name of a metric. */
export type MetricName = keyof typeof metricNames;

/** Upper bounds of buckets in seconds for responses, browsers and models: from a poll to a long model call. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;
