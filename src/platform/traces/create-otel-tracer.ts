import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import type { RequestEnd, SpanIds, SpanStart, AddAttributes, Tracer } from '#lib/tracer.ts';

/** Holder of the current span. A chain replaces the span of its holder with each new span. */
interface Place {
  span: Span;
}

/**
 * Creates a tracer on top of an OpenTelemetry tracer. It keeps the current span in a context of its own, because the
 * context of OpenTelemetry's package is global.
 */
export function createOtelTracer(otel: OtelTracer): Tracer {
  const places = new AsyncLocalStorage<Place>();
  const under = (): Context => spanContext(places.getStore()?.span);
  const run = async <T>(span: Span, work: (tell: AddAttributes) => Promise<T>): Promise<T> => {
    const place = { span };
    return places.run(place, () => ended(place, () => work((facts) => void span.setAttributes(facts))));
  };
  return {
    request(traceparent) {
      const parent = parseTraceparent(traceparent);
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = otel.startSpan('HTTP', { kind: SpanKind.SERVER }, context);
      return {
        ids: spanIds(span),
        run: (work) => places.run({ span }, work),
        end: (told) => endRequest(span, told),
      };
    },
    span: ({ name, isCall, facts = {} }, work) =>
      run(otel.startSpan(name, { kind: spanKind(isCall), attributes: { ...facts } }, under()), work),
    apart({ name, isCall, facts = {}, cause }, work) {
      const context = parseTraceparent(cause) ?? places.getStore()?.span.spanContext();
      const options = { kind: spanKind(isCall), attributes: { ...facts }, root: true };
      return run(otel.startSpan(name, { ...options, links: context === undefined ? [] : [{ context }] }), work);
    },
    async chain({ each, last }, work) {
      const context = under();
      const begin = (): Span => otel.startSpan(each, {}, context);
      const place = { span: begin() };
      const next = (facts: Parameters<AddAttributes>[0]): void => {
        place.span.setAttributes({ ...facts }).end();
        place.span = begin();
      };
      return places.run(place, () =>
        ended(place, async () => {
          const result = await work({ next });
          place.span.updateName(last);
          return result;
        }),
      );
    },
    cause() {
      const span = places.getStore()?.span.spanContext();
      return span === undefined ? null : `00-${span.traceId}-${span.spanId}-0${span.traceFlags}`;
    },
    current() {
      const span = places.getStore()?.span;
      return span === undefined ? undefined : spanIds(span);
    },
  };
}

/**
 * Runs work and ends the span of `place`. Errors are recorded by kind only, because messages may contain page or client
 * text.
 */
async function ended<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    place.span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    place.span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    place.span.end();
  }
}

function endRequest(span: Span, { name, failure, facts }: RequestEnd): void {
  span.updateName(name).setAttributes({ ...facts });
  if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function spanContext(span: Span | undefined): Context {
  return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
}

function spanKind(isCall: SpanStart['isCall']): SpanKind {
  return isCall === true ? SpanKind.CLIENT : SpanKind.INTERNAL;
}

function spanIds(span: Span): SpanIds {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Parses a `traceparent` header (W3C Trace Context, level 1); undefined for an invalid header. Later versions may
 * append fields. `tracestate` is not kept.
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
