/** What is said of a span: figures, ids and words of ours. Never a text of a caller, a key, or an address that is a right by itself. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Adds to what is said of a span. */
export type Tell = (facts: SpanFacts) => void;

/** A piece of work that is about to begin. */
export interface SpanStart {
  /** One of few, such as `decide`. */
  readonly name: string;
  /** Whether somebody else is asked meanwhile. @defaultValue false */
  readonly isCall?: boolean;
  readonly facts?: SpanFacts;
}

/** By what a span is found again, in hexadecimal digits as W3C Trace Context has them. */
export interface SpanIds {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
}

/** The span of one request. */
export interface RequestSpan {
  readonly ids: SpanIds;
  /** Does a piece of work, and all that it sets going, within it. */
  run(work: () => void): void;
  /** Ends it; what comes later is not heard. */
  end(told: EndOfRequest): void;
}

/** How a request ended. */
export interface EndOfRequest {
  /** Method and pattern of the address, such as `GET /api/v3/sessions/{session_id}`. */
  readonly name: string;
  /** What kind of failure it was, on our side: a status of 500 and above, or `aborted`. @defaultValue none */
  readonly failure?: string;
  readonly facts: SpanFacts;
}

/** Spans that follow one another without a gap. */
export interface SpanChain {
  /** The span under way is one such piece of work, and is over; the next one begins. */
  next(facts: SpanFacts): void;
}

/** Draws what a service does over time. */
export interface Tracer {
  /** Begins the span of a request; a part of the trace that a `traceparent` header names. */
  request(traceparent: string | undefined): RequestSpan;
  /** Does work in a span of its own, within the one under way. */
  span<T>(start: SpanStart, work: (tell: Tell) => Promise<T>): Promise<T>;
  /** The same as a trace of its own, which names the span that caused it: work that outlives a request. */
  apart<T>(start: SpanStart & { readonly cause: string | null }, work: (tell: Tell) => Promise<T>): Promise<T>;
  /** Does work in spans of one name that follow one another; the last one, which nothing ends but the work itself, is called `last`. */
  chain<T>(names: { readonly each: string; readonly last: string }, work: (chain: SpanChain) => Promise<T>): Promise<T>;
  /** The span under way as a `traceparent`, to be named as a cause later; null outside of any. */
  cause(): string | null;
  /** The span under way; undefined outside of any. */
  current(): SpanIds | undefined;
}

const untold: Tell = () => undefined;

/** Draws nothing, and does the work. */
export const untraced: Omit<Tracer, 'request'> = {
  span: (_start, work) => work(untold),
  apart: (_start, work) => work(untold),
  chain: (_names, work) => work({ next: untold }),
  cause: () => null,
  current: () => undefined,
};
