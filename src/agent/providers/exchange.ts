import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { type JsonBounds, JsonCounter } from '#lib/json-size.ts';
import { type Fault, faultOfAnswer, silentFault } from './fault.ts';

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
  /** Returns the result; null before the request was sent. */
  result(): ExchangeResult | null;
}

/** Thrown to an SDK in place of a response; the result of the exchange has the details. */
class ExchangeFailed extends Error {
  override readonly name = 'ExchangeFailed';
}

/**
 * Creates an exchange that reads the complete response within its limits. The SDK receives only successful JSON
 * objects; every other response becomes the result and makes the SDK's request fail.
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
    const kind = timeout.aborted ? 'timeout' : kindOfError(error);
    return { ok: false, fault: silentFault(kind) };
  }
}

function judge(answer: Response, text: string | null, now: () => number): ExchangeResult {
  const body = text === null ? null : parse(text);
  if (!answer.ok)
    return {
      ok: false,
      fault: faultOfAnswer({ status: answer.status, headers: answer.headers, body: body ?? {} }, now),
    };
  if (body === null) return { ok: false, fault: { ...silentFault('garbled'), status: answer.status } };
  // Some gateways report errors with a success status. A member `error: null` of a success means nothing.
  const { error = null } = body;
  if (text !== null && (error === null || isOurs(body))) return { ok: true, answer: body, text };
  return { ok: false, fault: faultOfAnswer({ status: answer.status, headers: answer.headers, body }, now) };
}

/**
 * Returns whether a body is an object of the Responses API, whose `error` explains a failed response that is charged
 * nevertheless.
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

/** Classifies an error of `fetch`: the host was not reached, or the connection was interrupted. */
function kindOfError(error: unknown): Fault['kind'] {
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
