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
  /** True when it asks for more than the target may take: a 429 is then an answer to judge. */
  overload?: boolean;
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
  /** Key of another project; hidden like the first. */
  otherApiKey: string | undefined;
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
    if (kept.status === 429 && spec.overload !== true)
      throw new TooManyRequests(`the target answered 429 to ${kept.operation}: ${advice}`);
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
  if (spec.generation === 'other') return;
  const problems = schemas.requestProblems(spec.generation, spec.operation, spec.body);
  if (problems.length > 0) throw new OwnRequestError(`${spec.operation}: ${problems.join('; ')}`);
}

async function perform(options: ClientOptions, spec: RequestSpec): Promise<Omit<Exchange, 'index' | 'sentBy'>> {
  const url = addressOf(options.target, spec.generation, spec.path);
  const body = spec.rawBody ?? (spec.body === undefined ? undefined : JSON.stringify(spec.body));
  const headers = requestHeaders(trusted(options.target, spec, url) ? options : undefined, spec, body);
  const begin = options.recorder.elapsedMs();
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = spec.creates === true ? timeout : AbortSignal.any([options.signal, timeout]);
  const init = { method: spec.method, headers, signal, ...(body === undefined ? {} : { body }) };
  const answer = await receive(options, url, init);
  const hide = hider(options);
  const text = hide(answer.body);
  return {
    generation: spec.generation,
    operation: spec.operation,
    atMs: begin,
    durationMs: options.recorder.elapsedMs() - begin,
    request: {
      method: spec.method,
      url: hide(url),
      headers: shownHeaders(options, headers, hide),
      ...(body === undefined ? {} : { body: hide(body) }),
    },
    status: answer.status,
    headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, hide(value)])),
    body: text,
    json: parseJson(text),
    ...(answer.fault === undefined ? {} : { fault: hide(answer.fault) }),
  };
}

// What an answer or the target file points to may lie on the host of somebody else, who must not get our secrets.
function trusted(target: Target, spec: RequestSpec, url: string): boolean {
  if (spec.generation !== 'other') return true;
  return URL.canParse(url) && new URL(url).origin === new URL(target.url).origin;
}

/** Headers that carry no secret, and whose values are words that every answer may contain. */
const openHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

/** Shorter words are no secrets; replacing them everywhere would break the answers that are judged. */
const secretLengthMin = 6;

/** Replaces every secret in a text: as it is, encoded for a query or JSON, or inside basic credentials. */
function hider({ apiKey, otherApiKey, headers }: ClientOptions): (text: string) => string {
  const secrets: [string, string][] = [
    [Buffer.from(`${apiKey}:`).toString('base64'), '<base64 of $SERVICE_API_KEY:>'],
    ...spellings(apiKey).map((word): [string, string] => [word, '$SERVICE_API_KEY']),
    ...spellings(otherApiKey ?? '').map((word): [string, string] => [word, '$SVC_OTHER_API_KEY']),
  ];
  for (const [name, value] of Object.entries(headers)) {
    if (openHeaders.has(name.toLowerCase())) continue;
    // A target may repeat only the token of "Bearer token" or "name=token".
    const words = [value, ...value.split(/[\s=;,]+/)].filter((word) => word.length >= secretLengthMin);
    secrets.push(...words.flatMap(spellings).map((word): [string, string] => [word, placeholder(name)]));
  }
  const longestFirst = secrets.filter(([word]) => word !== '').toSorted(([a], [b]) => b.length - a.length);
  // A function, because "$S" in a replacement text has a meaning of its own.
  return (text) => longestFirst.reduce((rest, [word, shown]) => rest.replaceAll(word, () => shown), text);
}

function spellings(secret: string): string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

function placeholder(name: string): string {
  return `<value of ${name}>`;
}

// A header of the command line is hidden by its name, however short its value is.
function shownHeaders(
  options: ClientOptions,
  sent: Record<string, string>,
  hide: (text: string) => string,
): Record<string, string> {
  const shown = ([name, value]: [string, string]): [string, string] => {
    const ours = options.headers[name] === value && !openHeaders.has(name.toLowerCase());
    return [name, ours ? placeholder(name) : hide(value)];
  };
  return Object.fromEntries(Object.entries(sent).map(shown));
}

// Without options, the request goes to somebody else's host and carries only what it needs.
function requestHeaders(
  options: ClientOptions | undefined,
  spec: RequestSpec,
  body: string | undefined,
): Record<string, string> {
  const key = spec.key ?? 'right';
  const value = key === 'right' ? options?.apiKey : key === 'none' ? undefined : key.other;
  return {
    ...options?.headers,
    ...(value === undefined || options === undefined ? {} : { [options.target.keyHeader]: value }),
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
