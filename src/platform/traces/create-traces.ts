import { randomUUID } from 'node:crypto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Agent, AgentStep } from '#agent/agent.ts';
import type { ModelAnswer, ModelProviders } from '#agent/model/model-call.ts';
import type { BrowserHost, LaunchOptions } from '#browsers/host.ts';
import { HostBusy } from '#browsers/index.ts';
import { within } from '#browsers/within.ts';
import { modelRoute, normaliseModel } from '#contract/models.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { SpanAttributes, Tracer } from '#lib/tracer.ts';
import { stripEnd } from '#lib/trim-end.ts';
import { createOtelTracer } from './create-otel-tracer.ts';

/** Options of {@link createTraces}. */
export interface TracesOptions {
  /** URL of a collector that accepts OTLP over HTTP as JSON, such as `http://127.0.0.1:4318`. */
  readonly url: string;
  /** Service name in the traces. */
  readonly name: string;
  /** Share of the traces that are recorded, 0 to 1; both bounds are included. */
  readonly share: number;
  readonly rules: RuleBook;
  /** Called when exports begin to fail, and when they work again. */
  readonly report: Report;
}

/** Tracing of one service. */
export interface Traces {
  readonly tracer: Tracer;
  /** Wraps a host to record its browser starts. */
  host(host: BrowserHost): BrowserHost;
  /** Wraps model providers to record their calls. */
  models(models: ModelProviders, rules: RuleBook): ModelProviders;
  /** Wraps an agent to record its steps. */
  agent(agent: Agent): Agent;
  /** Exports the remaining spans within a time limit. Never rejects. */
  close(): Promise<void>;
}

/** Number of batches that fit into the queue. */
const batchesPerQueue = 4;

/**
 * Creates the tracing of a service, which exports spans to a collector in bounded batches. Spans that exceed the queue
 * are dropped.
 */
export function createTraces({ url, name, share, rules, report }: TracesOptions): Traces {
  const sendingMs = getLimit(rules, 'tracesSending');
  const queue = getLimit(rules, 'tracedSpans');
  const sender = new OTLPTraceExporter({ url: collectorAddress(url), timeoutMillis: sendingMs });
  const byTraceId = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource: createResource(name),
    // The operator configures sampling: clients can neither suppress nor force traces.
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
        scheduledDelayMillis: getLimit(rules, 'tracesPause'),
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
        // Failed batches have been reported; this line reports that the rest was dropped.
        report('unsent', error);
      }
    },
  };
}

/** Path that OTLP over HTTP appends to the URL of a collector. */
const path = '/v1/traces';

/**
 * Returns the URL to which spans are exported: the URL of a collector with `path` appended, or the URL itself when it
 * already ends with `path`.
 */
function collectorAddress(url: string): string {
  const base = stripEnd(url, /\//);
  return base.endsWith(path) ? base : base + path;
}

/**
 * Returns the resource attributes of this process: those of `OTEL_RESOURCE_ATTRIBUTES`, overridden by the service name
 * and a new instance id.
 */
function createResource(name: string): Resource {
  return detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(
    resourceFromAttributes({ 'service.name': name, 'service.instance.id': randomUUID() }),
  );
}

/** A function that reports changes of the exporter's state; `error` explains unsent spans. */
type Report = (word: 'unsent' | 'sent again', error?: unknown) => void;

/** Value of OpenTelemetry's `ExportResultCode.SUCCESS`. */
const success = 0;

/**
 * Wraps an exporter to report once when exports begin to fail, and once when they work again. A long outage
 * therefore adds only two lines to the log.
 */
function reportingExporter(exporter: SpanExporter, report: Report): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const code: number = result.code;
        const failed = code !== success;
        if (failed && !isFailing) report('unsent', result.error);
        if (!failed && isFailing) report('sent again');
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Wraps a host to record browser starts, including the wait for a free slot. */
function tracedHost(host: BrowserHost, tracer: Tracer): BrowserHost {
  return {
    ...host,
    launch: (wanted) =>
      tracer.span({ name: 'start browser', facts: browserAttributes(wanted) }, async (tell) => {
        try {
          const browser = await host.launch(wanted);
          tell({ 'svc.browser.start': 'started' });
          return browser;
        } catch (error) {
          tell({ 'svc.browser.start': error instanceof HostBusy ? 'busy' : 'failed' });
          throw error;
        }
      }),
  };
}

/** Returns the attributes of a browser: its use, and for the browser of a session the session id. */
function browserAttributes({ sessionId, use = 'session' }: LaunchOptions): SpanAttributes {
  return { 'svc.browser.use': use, ...(use === 'session' ? { 'svc.session.id': sessionId } : {}) };
}

/**
 * Wraps providers to record model calls according to OpenTelemetry's semantic conventions for generative AI, without
 * prompts and responses.
 */
function tracedModels(models: ModelProviders, rules: RuleBook, tracer: Tracer): ModelProviders {
  return {
    ...models,
    async clientFor(choice) {
      const client = await models.clientFor(choice);
      if (client === null) return null;
      const model = normaliseModel(rules, choice.generation, choice.model);
      const facts = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': modelRoute(rules, choice.generation, choice.model)?.provider ?? 'unknown',
        'gen_ai.request.model': model,
      };
      return {
        ...client,
        call: (request, signal) =>
          tracer.span({ name: `chat ${model}`, isCall: true, facts }, async (tell) => {
            const answer = await client.call(request, signal);
            tell(answerAttributes(answer));
            return answer;
          }),
      };
    },
  };
}

function answerAttributes(answer: ModelAnswer): SpanAttributes {
  const { inputTokens, outputTokens } = answer.ok ? answer.reply.usage : answer.usage;
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(answer.ok ? {} : { 'error.type': answer.failure.kind }),
  };
}

/**
 * Wraps an agent to record its steps. Each span lasts from the end of the previous step until the step is booked, and
 * contains its model calls.
 */
function tracedAgent(agent: Agent, tracer: Tracer): Agent {
  return {
    ...agent,
    run: (task, world) =>
      tracer.chain({ each: 'step', last: 'finish' }, (chain) =>
        agent.run(task, {
          ...world,
          async step(step) {
            await world.step(step);
            chain.next({ 'svc.step.action': stepKind(step) });
          },
        }),
      ),
  };
}

/** Matches the name of a tool or of a planner action. */
const word = /^[A-Za-z_]{1,64}$/;

/**
 * Returns the name of a step's tool or planner action; `other` if the step has no such name. The arguments of the step
 * are client data and are not recorded.
 */
function stepKind({ action }: AgentStep): string {
  const { kind } = action;
  return typeof kind === 'string' && word.test(kind) ? kind : 'other';
}
