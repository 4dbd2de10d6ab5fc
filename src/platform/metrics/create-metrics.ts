import { Registry, collectDefaultMetrics } from 'prom-client';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ModelProviders } from '#agent/model/model-providers.ts';
import type { BrowserHost } from '#browsers/host.ts';
import type { Database } from '#store/database.ts';
import { limitOf } from '#contract/limits.ts';
import { createMeterMaker } from './meters.ts';
import { meteredHost } from './metered-host.ts';
import { meteredModels } from './metered-models.ts';
import { countSessions, countWaitingMessages } from './stored-figures.ts';
import { unlessLate } from './unless-late.ts';

/** An answered request, as it is counted. */
export interface Answered {
  /** An operation such as `v4 createRun`, the pattern of a path such as `/screenshots/:key`, or `unknown`. */
  readonly operation: string;
  /** The HTTP status. */
  readonly status: number;
  /** Milliseconds until the last byte of the answer was handed to the network. */
  readonly ms: number;
}

/** The figures of one service. */
export interface Metrics {
  /** Counts an answer. */
  observe(answered: Answered): void;
  /** The same host, counted; to be called once. */
  host(host: BrowserHost): BrowserHost;
  /** The same providers, counted; to be called once. */
  models(models: ModelProviders, rules: RuleBook): ModelProviders;
  /** Reads the figures of a running service from now on; to be called once. */
  watch(service: Watched): void;
  /** All figures in the text format of Prometheus, with its content type. */
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/** What is asked for figures. */
export interface Watched {
  readonly db: Database;
  /** The tasks that are running. */
  readonly engine: { readonly tasks: { readonly count: number } };
  readonly rules: RuleBook;
}

const msPerSecond = 1_000;

/** Figures of the process and of nothing else yet. */
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
      // A figure that a database which is away does not give is left out: the others are wanted all the more then.
      const ms = limitOf(rules, 'databaseWait');
      make.gauge('svc_messages_waiting', [], async (gauge) => {
        const count = await unlessLate(ms, countWaitingMessages(db));
        if (count !== null) gauge.set(count);
      });
      make.gauge('svc_sessions', ['generation', 'state'], async (gauge) => {
        for (const { generation, status, count } of (await unlessLate(ms, countSessions(db, rules))) ?? [])
          gauge.set({ generation, state: status }, count);
      });
    },
    read: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}
