import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { type JsonBounds, JsonCounter } from '#lib/json-size.ts';
import type { ModelFailure, ModelUsage } from '../model/model-call.ts';

/** Failure of one attempt. */
export interface Fault {
  readonly kind: ModelFailure['kind'];
  /** Usage that the provider charges although the attempt failed; null when its response states none. */
  readonly usage: ModelUsage | null;
  /**
   * Time to wait before the next request, as the provider states it, in milliseconds; null if the provider states none.
   */
  readonly waitMs: number | null;
  /** HTTP status; null without a response. */
  readonly status: number | null;
}

/** Returns the fault of an attempt without a response. */
export function silentFault(kind: Fault['kind']): Fault {
  return { kind, usage: null, waitMs: null, status: null };
}

/** A response that reports an error. */
export interface BadAnswer {
  /** HTTP status; a success status when a provider reports the error only in the body. */
  readonly status: number;
  readonly headers: Headers;
  /** Body of the response; empty unless it was a JSON object. */
  readonly body: JsonObject;
}

/** Classifies an error response by its status and by texts of some providers. */
function toFault({ status, headers, body }: BadAnswer, now: () => number): Fault {
  const kind = hasCreditCode(body) ? 'out-of-credit' : getKind(status, errorWords(body));
  return { kind, usage: null, waitMs: namedWait(headers, body, now), status };
}

/**
 * Messages with which providers report exhausted credit under a status other than 402; distinct from rate limit
 * messages.
 */
const noCredit =
  /insufficient_quota|insufficient[ _]balance|credit balance is too low|exceeded_current_quota|credits? (?:is|are|has been|have been) exhausted|billing_hard_limit/i;
/** Codes of Z.ai for exhausted credit. A message may contain the same number with another meaning. */
const creditCodes: readonly unknown[] = ['1113', 1113];

function hasCreditCode({ error }: JsonObject): boolean {
  return isJsonObject(error) && creditCodes.includes(error['code']);
}

const noKey = /API_KEY_INVALID|invalid_api_key|API key not valid/i;
const byStatus: readonly { readonly status: number; readonly kind: Fault['kind'] }[] = [
  { status: 401, kind: 'unauthorised' },
  { status: 402, kind: 'out-of-credit' },
  { status: 403, kind: 'unauthorised' },
  { status: 408, kind: 'timeout' },
  { status: 425, kind: 'overloaded' },
  { status: 429, kind: 'rate-limited' },
];
/** Texts in the bodies of error responses with a status below 400, and the kind of fault that they mean. */
const byWords: readonly { readonly words: RegExp; readonly kind: Fault['kind'] }[] = [
  { words: /rate_limit|RESOURCE_EXHAUSTED|\b429\b/i, kind: 'rate-limited' },
  { words: /overloaded|server_error|UNAVAILABLE|INTERNAL|\b50[0-4]\b/i, kind: 'overloaded' },
  { words: /authentication|permission|UNAUTHENTICATED|PERMISSION_DENIED|\b401\b/i, kind: 'unauthorised' },
];

function getKind(status: number, words: string): Fault['kind'] {
  if (noCredit.test(words)) return 'out-of-credit';
  if (noKey.test(words)) return 'unauthorised';
  const known = byStatus.find((row) => row.status === status)?.kind;
  if (known !== undefined) return known;
  if (status >= 500) return 'overloaded';
  if (status >= 400) return 'bad-request';
  return byWords.find((row) => row.words.test(words))?.kind ?? 'garbled';
}

/**
 * Returns the delay in ms of a valid `retry-after-ms`, else of `Retry-After` (seconds or a date, RFC 9110, 10.2.3),
 * else of google.rpc.RetryInfo in the body. Null without any of them, and for an invalid `Retry-After`.
 */
function namedWait(headers: Headers, body: JsonObject, now: () => number): number | null {
  const precise = headers.get('retry-after-ms');
  if (precise !== null && /^\d+(?:\.\d+)?$/.test(precise)) return Math.ceil(Number(precise));
  const after = headers.get('retry-after');
  if (after === null) return getDelay(body);
  if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : Math.max(0, date - now());
}

function getDelay({ error }: JsonObject): number | null {
  const details = isJsonObject(error) && Array.isArray(error['details']) ? error['details'] : [];
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : null;
    const [, seconds] = typeof delay === 'string' ? (/^(\d+(?:\.\d+)?)s$/.exec(delay) ?? []) : [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}

/**
 * Returns `type`, `code`, `status` and `message` of an error, and each `reason` of its details, as one text for
 * classification. Returns a string error unchanged, and an empty text without an error.
 */
export function errorWords(answer: JsonObject): string {
  const { error } = answer;
  if (typeof error === 'string') return error;
  return isJsonObject(error) ? getWords(error) : '';
}

function getWords(error: JsonObject): string {
  const reasons = Array.isArray(error['details'])
    ? error['details'].flatMap((detail) => (isJsonObject(detail) ? [detail['reason']] : []))
    : [];
  return ['type', 'code', 'status', 'message']
    .map((member) => error[member])
    .concat(reasons)
    .filter((word) => typeof word === 'string' || typeof word === 'number')
    .join(' ');
}

/** Limits of one exchange. */
export interface ExchangeBounds {
  readonly timeoutMs: number;
  readonly answer: AnswerBounds;
  /** Current time in milliseconds since the Unix epoch, for `Retry-After` with a date. */
  readonly now: () => number;
  /** Aborts the exchange. */
  readonly signal: AbortSignal;
}

/** Result of an exchange. */
export type ExchangeResult =
  | { readonly ok: true; readonly answer: JsonObject; readonly text: string }
  | { readonly ok: false; readonly fault: Fault };

/** One request and its response. The SDKs use its `fetch`, so that all providers report failures in the same way. */
export interface Exchange {
  readonly fetch: typeof fetch;
  /** Returns the result; null before the exchange has ended, and after an abort of the exchange. */
  result(): ExchangeResult | null;
}

/** Thrown to an SDK in place of a response; the result of the exchange has the details. */
class ExchangeFailed extends Error {
  override readonly name = 'ExchangeFailed';
}

/**
 * Creates an exchange that reads the complete response within `bounds`. The SDK receives only a JSON object with a
 * success status that reports no error or belongs to the Responses API. Any other response or failure becomes the
 * result, and `fetch` rejects. After an abort, `fetch` rejects with the signal's reason.
 */
export function createExchange(bounds: ExchangeBounds): Exchange {
  let result: ExchangeResult | null = null;
  return {
    async fetch(input, init) {
      result = await exchange(input, init ?? {}, bounds);
      if (!result.ok) throw new ExchangeFailed(`the exchange failed: ${result.fault.kind}`);
      return new Response(result.text, { headers: { 'content-type': 'application/json' } });
    },
    result: () => result,
  };
}

async function exchange(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  bounds: ExchangeBounds,
): Promise<ExchangeResult> {
  const timeout = AbortSignal.timeout(bounds.timeoutMs);
  const signal = AbortSignal.any([timeout, bounds.signal]);
  try {
    // A redirect would send the key and the prompt to an unconfigured host.
    const answer = await fetch(input, { ...init, signal, redirect: 'manual' });
    return judge(answer, await readBody(answer, bounds.answer), bounds.now);
  } catch (error) {
    bounds.signal.throwIfAborted();
    const kind = timeout.aborted ? 'timeout' : classifyError(error);
    return { ok: false, fault: silentFault(kind) };
  }
}

function judge(answer: Response, text: string | null, now: () => number): ExchangeResult {
  const body = text === null ? null : parse(text);
  if (!answer.ok)
    return {
      ok: false,
      fault: toFault({ status: answer.status, headers: answer.headers, body: body ?? {} }, now),
    };
  if (body === null) return { ok: false, fault: { ...silentFault('garbled'), status: answer.status } };
  // Some gateways report errors with a success status. A member `error: null` of a success means nothing.
  const { error = null } = body;
  if (text !== null && (error === null || isOurs(body))) return { ok: true, answer: body, text };
  return { ok: false, fault: toFault({ status: answer.status, headers: answer.headers, body }, now) };
}

/**
 * Returns whether a body is an object of the Responses API. Such an object reports a failed response in `error`, and
 * the provider can charge for this response.
 */
function isOurs({ object }: JsonObject): boolean {
  return object === 'response';
}

/** Parses a JSON object; null for any other text, such as a gateway's HTML page or truncated JSON. */
function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Limits of a response: its bytes, and its structure if it is JSON. */
interface AnswerBounds extends JsonBounds {
  readonly bytes: number;
}

/** Returns the text of a response body; null beyond the limits, without reading the rest. */
async function readBody(answer: Response, bounds: AnswerBounds): Promise<string | null> {
  const counter = new JsonCounter(bounds);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bounds.bytes || !counter.isWithin(piece)) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/**
 * Error codes of `fetch` by kind of fault. An error without a known code means that the host was not reached (DNS,
 * ports, certificates).
 */
const meanings: readonly { readonly codes: RegExp; readonly kind: Fault['kind'] }[] = [
  { codes: /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/, kind: 'timeout' },
  { codes: /^(?:HPE_|Z_|ERR__?BROTLI|ERR__ERROR_)/, kind: 'garbled' },
  {
    codes: /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|UND_ERR_ABORTED)$/,
    kind: 'cut-off',
  },
];

/**
 * Classifies an error of `fetch` by its codes: timeout, unreadable response, interrupted connection, or else host not
 * reached.
 */
function classifyError(error: unknown): Fault['kind'] {
  const codes = getCodes(error);
  const known = meanings.find((row) => codes.some((code) => row.codes.test(code)));
  return known?.kind ?? 'unreachable';
}

/** Returns the codes of an error, of its causes, and of aggregated errors. */
function getCodes(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [...own, ...getCodes(error.cause), ...parts.flatMap(getCodes)];
}
