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
  const sendingMs = getLimit(rules, 'tracesSending');
  const queue = getLimit(rules, 'tracedSpans');
  const sender = new OTLPTraceExporter({ url: collectorAddress(url), timeoutMillis: sendingMs });
  const byTraceId = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource: resourceOf(name),
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
        // Each batch that was not taken has been reported; this one says that the rest was given up.
        report('unsent', error);
      }
    },
  };
}

/** What OTLP over HTTP appends to the address of a collector. */
const path = '/v1/traces';

/** Where spans are sent to: below the address of a collector, or exactly there where the path of traces stands in it already. */
function collectorAddress(url: string): string {
  const base = stripEnd(url, /\//);
  return base.endsWith(path) ? base : base + path;
}

/** Resource attributes of this process: those of `OTEL_RESOURCE_ATTRIBUTES` except the name. */
function resourceOf(name: string): Resource {
  return detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(
    resourceFromAttributes({ 'service.name': name, 'service.instance.id': randomUUID() }),
  );
}

/** Reports changes of the exporter's state; `error` explains unsent spans. */
type Report = (word: 'unsent' | 'sent again', error?: unknown) => void;

/** OpenTelemetry's `ExportResultCode.SUCCESS`. */
const success = 0;

/** An exporter that tells once when sending begins to fail, and once when it works again: a collector that is down for a day is one line. */
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

/** The host, with its starts drawn, the wait for their turn included. */
function tracedHost(host: BrowserHost, tracer: Tracer): BrowserHost {
  return {
    ...host,
    launch: (wanted) =>
      tracer.span({ name: 'start browser', facts: factsOf(wanted) }, async (tell) => {
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

/** The name of a browser is that of its session; one that clients drive has a name of its own. */
function factsOf({ sessionId, use = 'session' }: LaunchOptions): SpanAttributes {
  return { 'svc.browser.use': use, ...(use === 'session' ? { 'svc.session.id': sessionId } : {}) };
}

/** The providers, with the calls of their models drawn as the semantic conventions for generative AI have it: no prompt and no answer. */
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
            tell(endOf(answer));
            return answer;
          }),
      };
    },
  };
}

function endOf(answer: ModelAnswer): SpanAttributes {
  const { inputTokens, outputTokens } = answer.ok ? answer.reply.usage : answer.usage;
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(answer.ok ? {} : { 'error.type': answer.failure.kind }),
  };
}

/** Traces the steps of an agent: each span lasts from the end of the previous step until the step is booked, and contains its model calls. */
function tracedAgent(agent: Agent, tracer: Tracer): Agent {
  return {
    ...agent,
    run: (task, world) =>
      tracer.chain({ each: 'step', last: 'finish' }, (chain) =>
        agent.run(task, {
          ...world,
          async step(step) {
            await world.step(step);
            chain.next({ 'svc.step.action': kindOf(step) });
          },
        }),
      ),
  };
}

/** A name of a tool or of an action of the planner. */
const word = /^[A-Za-z_]{1,64}$/;

/** What was done, by the name of its tool: what it was done with is the caller's. */
function kindOf({ action }: AgentStep): string {
  const { kind } = action;
  return typeof kind === 'string' && word.test(kind) ? kind : 'other';
}
