import type { Exchange } from './exchange.ts';
import { type JsonValue, parseJson } from './json.ts';
import { OwnRequestError, TooManyRequests } from './outcome.ts';
import type { Recorder } from './recorder.ts';
import type { Schemas } from './schemas.ts';
import type { Generation, Target } from './target/target.ts';
import type { Throttle } from './throttle.ts';

/** One request to send. */
export interface RequestSpec {
  generation: Generation | 'other';
  /** Operation id of the documents, or a name of ours. */
  operation: string;
  method: string;
  /** Path below the generation's base, or an absolute address when `generation` is `other`. */
  path: string;
  /** JSON body; sent as application/json. */
  body?: JsonValue;
  /** Body sent as it is instead of `body`, for malformed JSON. */
  rawBody?: string;
  /** Extra headers; they replace those that the client sets. */
  headers?: Record<string, string>;
  /** `right` (default), `none`, or another key to send. */
  key?: 'right' | 'none' | { other: string };
  /** True when the request breaks the contract on purpose: it is not validated before sending. */
  invalid?: boolean;
  /** True when it may create something: its answer is waited for even when the run ends, because it carries the id. */
  creates?: boolean;
}

/**
 * Sends requests and records them. Does not throw for an answer or a fault of the network (see Exchange.status), but for
 * a 429 (TooManyRequests), an early end of the run (NotRun), and a wrong request of ours (OwnRequestError).
 */
export type Send = (spec: RequestSpec) => Promise<Exchange>;

/** What a client needs. */
export interface ClientOptions {
  target: Target;
  apiKey: string;
  /** Headers for every request. */
  headers: Record<string, string>;
  timeoutMs: number;
  schemas: Schemas;
  recorder: Recorder;
  throttle: Throttle;
  /** Ends every request that is in flight; `send` then throws its reason. */
  signal: AbortSignal;
}

const advice = 'lower --rate, --concurrency or limits.sessionsAtOnce of the target file';

/** A client whose exchanges are recorded as sent by `sentBy`. */
export function createClient(options: ClientOptions, sentBy: string): Send {
  return async (spec) => {
    assertValid(options.schemas, spec);
    const exchange = await options.throttle(() => {
      options.signal.throwIfAborted();
      return perform(options, spec);
    });
    if (spec.creates !== true) options.signal.throwIfAborted();
    const kept = options.recorder.add({ ...exchange, sentBy });
    // Sending it again could hide a fault, and every other status is for the checks to judge.
    if (kept.status === 429) throw new TooManyRequests(`the target answered 429 to ${kept.operation}: ${advice}`);
    return kept;
  };
}

/** The absolute address of a path below a generation's base. */
function addressOf(target: Target, generation: Generation | 'other', path: string): string {
  if (generation === 'other') return path;
  const base = target[generation]?.base ?? `/api/${generation}`;
  return `${/^https?:/.test(base) ? base : target.url + base}${path}`;
}

// A wrong request of ours must not be mistaken for a wrong answer of the target.
function assertValid(schemas: Schemas, spec: RequestSpec): void {
  if (spec.invalid === true || spec.rawBody !== undefined) return;
  const problems = schemas.requestProblems(spec.operation, spec.body);
  if (problems.length > 0) throw new OwnRequestError(`${spec.operation}: ${problems.join('; ')}`);
}

async function perform(options: ClientOptions, spec: RequestSpec): Promise<Omit<Exchange, 'index' | 'sentBy'>> {
  const url = addressOf(options.target, spec.generation, spec.path);
  const body = spec.rawBody ?? (spec.body === undefined ? undefined : JSON.stringify(spec.body));
  const headers = requestHeaders(options, spec, body);
  const begin = options.recorder.elapsedMs();
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = spec.creates === true ? timeout : AbortSignal.any([options.signal, timeout]);
  const init = { method: spec.method, headers, signal, ...(body === undefined ? {} : { body }) };
  const answer = await receive(options, url, init);
  const hide = (text: string): string => hideKey(text, options.apiKey);
  const text = hide(answer.body);
  return {
    generation: spec.generation,
    operation: spec.operation,
    atMs: begin,
    durationMs: options.recorder.elapsedMs() - begin,
    request: {
      method: spec.method,
      url: hide(url),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hide(value)])),
      ...(body === undefined ? {} : { body: hide(body) }),
    },
    status: answer.status,
    headers: answer.headers,
    body: text,
    json: parseJson(text),
    ...(answer.fault === undefined ? {} : { fault: answer.fault }),
  };
}

// The key may stand in a request as it is, encoded for a query, or inside basic credentials.
function hideKey(text: string, key: string): string {
  const basic = Buffer.from(`${key}:`).toString('base64');
  return text
    .replaceAll(basic, '<base64 of $SERVICE_API_KEY:>')
    .replaceAll(key, '$SERVICE_API_KEY')
    .replaceAll(encodeURIComponent(key), '$SERVICE_API_KEY');
}

function requestHeaders(options: ClientOptions, spec: RequestSpec, body: string | undefined): Record<string, string> {
  const key = spec.key ?? 'right';
  const value = key === 'right' ? options.apiKey : key === 'none' ? undefined : key.other;
  return {
    ...options.headers,
    ...(value === undefined ? {} : { [options.target.keyHeader]: value }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...spec.headers,
  };
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  fault?: string;
}

async function receive(options: ClientOptions, url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 0, headers: {}, body: '', fault: faultText(error, options.timeoutMs) };
  }
}

function faultText(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') return `nothing within ${timeoutMs} ms`;
  const cause = error.cause;
  if (!(cause instanceof Error)) return error.message;
  // A refused connection to several addresses is an AggregateError with an empty message.
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
