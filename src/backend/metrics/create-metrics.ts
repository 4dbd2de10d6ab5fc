import { Registry, collectDefaultMetrics } from 'prom-client';
import type { RuleBook } from '#domain/rule-book.ts';
import type { Answered } from '#http/told-answers.ts';
import type { ModelProviders } from '../agent/model/model-providers.ts';
import type { BrowserHost } from '../browsers/host.ts';
import type { Engine } from '../engine/create-engine.ts';
import type { Database } from '../storage/database.ts';
import { limitOf } from '../shared/limit-of.ts';
import { createMeterMaker } from './meters.ts';
import { meteredHost } from './metered-host.ts';
import { meteredModels } from './metered-models.ts';
import { countSessions, countWaitingMessages } from './stored-figures.ts';
import { unlessLate } from './unless-late.ts';

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
  readonly engine: Pick<Engine, 'tasks'>;
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
