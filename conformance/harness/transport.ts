import type { JsonValue } from './json.ts';

/** One request on its way to a target. */
export interface TransportRequest {
  /** Which scenario or check sends it, and what it calls the operation. */
  sentBy: string;
  operation: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The request as it is recorded: keys are placeholders. */
  shown: { url: string; headers: Readonly<Record<string, string>>; body?: string };
  /** Longest wait for the answer, in ms. */
  timeoutMs: number;
  /** Aborted when the run ends. */
  signal: AbortSignal;
  /** True for a request whose answer is needed even then. */
  outlivesRun: boolean;
}

/** What came back. */
export interface Answer {
  /** HTTP status; 0 when no answer arrived. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON, where it was read before. @defaultValue read from the body */
  json?: JsonValue | undefined;
  /** Why no answer arrived. */
  fault?: string;
  /** When it was sent and how long it took, for an answer that arrived at another time. @defaultValue measured */
  times?: { atMs: number; durationMs: number };
}

/** Carries requests to a target. Never throws for what the network does; an aborted request is a fault too. */
export type Transport = (request: TransportRequest) => Promise<Answer>;

/** What `fetch` takes as its way to send. */
export type FetchDispatcher = NonNullable<RequestInit['dispatcher']>;

/** HTTP on a way of its own. */
export function overHttp(dispatcher: FetchDispatcher): Transport {
  return (request) => send(request, { dispatcher });
}

/** HTTP on the plain network. */
export const sendOverHttp: Transport = (request) => send(request, {});

async function send(request: TransportRequest, way: Pick<RequestInit, 'dispatcher'>): Promise<Answer> {
  const { method, url, headers, body, timeoutMs, signal, outlivesRun } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method,
    headers,
    redirect: 'manual',
    ...way,
    signal: outlivesRun ? timeout : AbortSignal.any([signal, timeout]),
    ...(body === undefined ? {} : { body }),
  };
  try {
    const response = await fetch(url, init);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 0, headers: {}, body: '', fault: faultText(error, timeoutMs) };
  }
}

function faultText(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') return `nothing within ${timeoutMs} ms`;
  const cause = error.cause;
  if (!(cause instanceof Error)) return error.message;
  // A refused connection to several addresses is an AggregateError with an empty message.
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
