/**
 * Attributes of a span: numbers, ids and constants of the service. Never client text, keys, or URLs that grant access.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Adds attributes to a span. */
export type AddAttributes = (facts: SpanAttributes) => void;

/** Description of a span that is about to start. */
export interface SpanStart {
  /** Span name from a small fixed set, such as `decide`. */
  readonly name: string;
  /** Whether the span is a call to another process. @defaultValue false */
  readonly isCall?: boolean;
  readonly facts?: SpanAttributes;
}

/** Ids of a span in hexadecimal digits (W3C Trace Context). */
export interface SpanIds {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
}

/** The span of one request. */
export interface RequestSpan {
  readonly ids: SpanIds;
  /** Runs work within the span, including the asynchronous work that it starts. */
  run(work: () => void): void;
  /** Ends the span with its name and attributes. Attributes that are added later are ignored. */
  end(told: RequestEnd): void;
}

/** End of a request. */
export interface RequestEnd {
  /** Method and route pattern, such as `GET /api/v3/sessions/{session_id}`. */
  readonly name: string;
  /** Failure on the server's side: a status of 500 or above, or `aborted`. @defaultValue none */
  readonly failure?: string;
  readonly facts: SpanAttributes;
}

/** A sequence of spans without gaps. */
export interface SpanChain {
  /** Ends the current span with these attributes and starts the next one. */
  next(facts: SpanAttributes): void;
}

/** A recorder of traces of the service. */
export interface Tracer {
  /**
   * Starts the span of a request, as part of the trace that a `traceparent` header names, or of a new trace without a
   * valid header.
   */
  request(traceparent: string | undefined): RequestSpan;
  /** Runs work in a child span of the current span. */
  span<T>(start: SpanStart, work: (tell: AddAttributes) => Promise<T>): Promise<T>;
  /** Runs work in a new trace that links to the span that caused it, for work that outlives a request. */
  apart<T>(start: SpanStart & { readonly cause: string | null }, work: (tell: AddAttributes) => Promise<T>): Promise<T>;
  /**
   * Runs work as a sequence of spans named `each`. The last span, which the end of the work closes, is named `last`.
   */
  chain<T>(names: { readonly each: string; readonly last: string }, work: (chain: SpanChain) => Promise<T>): Promise<T>;
  /**
   * Returns the current span as a `traceparent` header value, to link a later trace to it; null outside of any span.
   */
  cause(): string | null;
  /** Returns the current span; undefined outside of any span. */
  current(): SpanIds | undefined;
}

const untold: AddAttributes = () => undefined;

/** A tracer that runs the work and records no spans. */
export const untraced: Omit<Tracer, 'request'> = {
  span: (_start, work) => work(untold),
  apart: (_start, work) => work(untold),
  chain: (_names, work) => work({ next: untold }),
  cause: () => null,
  current: () => undefined,
};
