import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Creates metrics in a registry; each metric is created once. */
export interface MeterMaker {
  counter<Label extends string>(name: MetricName, labels: readonly Label[]): Counter<Label>;
  histogram<Label extends string>(name: MetricName, labels: readonly Label[]): Histogram<Label>;
  /** Creates a gauge whose values are read for each response. */
  gauge<Label extends string>(
    name: MetricName,
    labels: readonly Label[],
    read: (gauge: Gauge<Label>) => void | Promise<void>,
  ): void;
}

/** Creates a maker with a registry of its own, because the package's default registry is global. */
export function createMeterMaker(registry: Registry): MeterMaker {
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
  svc_sessions: 'Living sessions by generation and state; idle sessions without a browser are not counted.',
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
