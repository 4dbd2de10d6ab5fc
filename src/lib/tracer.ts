/**
 * Attributes of a trace span: numbers, ids and constants of the service. They must not contain text of clients, keys,
 * or URLs that grant access.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A function that adds attributes to a span. */
export type AddAttributes = (facts: SpanAttributes) => void;

/** Description of a span that is about to start. */
export interface SpanStart {
  /** Name of the span, such as `decide`. There is only a small fixed set of names. */
  readonly name: string;
  /** Whether the span measures a call to another process. @defaultValue false */
  readonly isCall?: boolean;
  readonly facts?: SpanAttributes;
}

/** Ids of a span in hexadecimal digits (W3C Trace Context). */
export interface SpanIds {
  /** Id of the trace: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Id of the span: 16 hexadecimal digits. */
  readonly spanId: string;
}

/** The span of one request. */
export interface RequestSpan {
  readonly ids: SpanIds;
  /** Runs `work` with this span as the current span. Asynchronous work that `work` starts has the same current span. */
  run(work: () => void): void;
  /** Ends the span, with its name and attributes. Later calls that add attributes have no effect. */
  end(told: RequestEnd): void;
}

/** Data of a request that are known at its end. */
export interface RequestEnd {
  /** Name of the span: method and route pattern, such as `GET /api/v3/sessions/{session_id}`. */
  readonly name: string;
  /**
   * Why the request failed, if the server is the cause: a status of 500 or above, or `aborted`. @defaultValue no
   * failure
   */
  readonly failure?: string;
  readonly facts: SpanAttributes;
}

/** A sequence of spans without gaps. */
export interface SpanChain {
  /** Ends the current span of the sequence with these attributes, and starts the next span. */
  next(facts: SpanAttributes): void;
}

/** A recorder of traces of the service. */
export interface Tracer {
  /**
   * Starts the span of a request. The span belongs to the trace that the header `traceparent` names, or to a new trace
   * if the header is missing or invalid.
   */
  request(traceparent: string | undefined): RequestSpan;
  /** Runs work in a child span of the current span. */
  span<T>(start: SpanStart, work: (tell: AddAttributes) => Promise<T>): Promise<T>;
  /** Runs work in a new trace, for work that outlives a request. The new trace links to the span that `cause` names. */
  apart<T>(start: SpanStart & { readonly cause: string | null }, work: (tell: AddAttributes) => Promise<T>): Promise<T>;
  /**
   * Runs work that is recorded as a sequence of spans without gaps. The last span ends with the work and is named
   * `last`; all earlier spans are named `each`.
   */
  chain<T>(names: { readonly each: string; readonly last: string }, work: (chain: SpanChain) => Promise<T>): Promise<T>;
  /**
   * Returns the current span as the value of a `traceparent` header, so that a later trace can link to this span; null
   * if there is no current span.
   */
  cause(): string | null;
  /** Returns the ids of the current span; undefined if there is no current span. */
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
