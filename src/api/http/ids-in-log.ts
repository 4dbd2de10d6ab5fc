import type { SpanIds } from '#lib/tracer.ts';

/** A span as log lines name it, by the names that OpenTelemetry has for logs of other formats; nothing outside of any. */
export function idsInLog(ids: SpanIds | undefined): { readonly trace_id?: string; readonly span_id?: string } {
  return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId };
}
