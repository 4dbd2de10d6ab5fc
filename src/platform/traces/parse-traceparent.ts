import { type SpanContext, isSpanContextValid } from '@opentelemetry/api';

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * The span that a `traceparent` header names (W3C Trace Context, level 1); undefined for one that names none. A later version may say
 * more behind it. What a caller says in `tracestate` is not kept: nobody is told it.
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
