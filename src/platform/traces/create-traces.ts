import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { Agent } from '#agent/agent.ts';
import type { ModelProviders } from '#agent/model/model-providers.ts';
import type { BrowserHost } from '#browsers/host.ts';
import { within } from '#browsers/within.ts';
import { limitOf } from '#contract/limits.ts';
import { collectorAddress } from './collector-address.ts';
import { createOtelTracer } from './create-otel-tracer.ts';
import { type Report, reportingExporter } from './reporting-exporter.ts';
import { resourceOf } from './resource-of.ts';
import { tracedAgent } from './traced-agent.ts';
import { tracedHost } from './traced-host.ts';
import { tracedModels } from './traced-models.ts';

/** Where traces go, and of what. */
export interface TracesOptions {
  /** Address of a collector that takes OTLP over HTTP as JSON, such as `http://127.0.0.1:4318`. */
  readonly url: string;
  /** What the service is called there. */
  readonly name: string;
  /** Of how many traces one is drawn: 0 to 1, both included. */
  readonly share: number;
  readonly rules: RuleBook;
  /** Told when the collector does not take what is sent, and when it does again. */
  readonly report: Report;
}

/** The traces of one service. */
export interface Traces {
  readonly tracer: Tracer;
  /** The same host, drawn. */
  host(host: BrowserHost): BrowserHost;
  /** The same providers, drawn. */
  models(models: ModelProviders, rules: RuleBook): ModelProviders;
  /** The same agent, drawn. */
  agent(agent: Agent): Agent;
  /** Sends what is left, as far as the collector takes it in time. Never rejects. */
  close(): Promise<void>;
}

/** Of one batch; a fourth of what may wait. */
const batchesPerQueue = 4;

/** Spans to a collector, in batches and in bounds: what is too much for it is dropped. */
export function createTraces({ url, name, share, rules, report }: TracesOptions): Traces {
  const sendingMs = limitOf(rules, 'tracesSending');
  const queue = limitOf(rules, 'tracedSpans');
  const sender = new OTLPTraceExporter({ url: collectorAddress(url), timeoutMillis: sendingMs });
  const byTraceId = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource: resourceOf(name),
    // Who operates the service says what is drawn: a caller cannot hide a request, nor have one drawn.
    sampler: new ParentBasedSampler({
      root: byTraceId,
      remoteParentSampled: byTraceId,
      remoteParentNotSampled: byTraceId,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingExporter(sender, report),
        maxQueueSize: queue,
        maxExportBatchSize: queue / batchesPerQueue,
        scheduledDelayMillis: limitOf(rules, 'tracesPause'),
        exportTimeoutMillis: 2 * sendingMs,
      }),
    ],
  });
  const tracer = createOtelTracer(provider.getTracer('svc'));
  return {
    tracer,
    host: (host) => tracedHost(host, tracer),
    models: (models, ruleBook) => tracedModels(models, ruleBook, tracer),
    agent: (agent) => tracedAgent(agent, tracer),
    async close() {
      try {
        await within(sendingMs, provider.shutdown(), `the collector took no spans within ${sendingMs} ms`);
      } catch (error) {
        // Each batch that was not taken has been reported; this one says that the rest was given up.
        report('unsent', error);
      }
    },
  };
}
