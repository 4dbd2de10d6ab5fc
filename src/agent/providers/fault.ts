import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { ModelFailure, ModelUsage } from '../model/model-call.ts';

/** Failure of one attempt. */
export interface Fault {
  readonly kind: ModelFailure['kind'];
  /** Usage that the provider charges nevertheless; null when not stated. */
  readonly usage: ModelUsage | null;
  /** Time to wait before the next request in milliseconds; null when not stated. */
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
  /** 200 when a provider reports the error only in the body. */
  readonly status: number;
  readonly headers: Headers;
  /** Body of the response; empty unless it was a JSON object. */
  readonly body: JsonObject;
}

/** Classifies an error response by its status and by texts of some providers. */
export function faultOfAnswer({ status, headers, body }: BadAnswer, now: () => number): Fault {
  const words = errorWords(body);
  return { kind: getKind(status, words), usage: null, waitMs: namedWait(headers, body, now), status };
}

/**
 * Messages with which providers report exhausted credit under a status other than 402; distinct from rate limit
 * messages.
 */
const noCredit =
  /insufficient_quota|insufficient[ _]balance|credit balance is too low|exceeded_current_quota|credits? (?:is|are|has been|have been) exhausted|\b1113\b|billing_hard_limit/i;
const noKey = /API_KEY_INVALID|invalid_api_key|API key not valid/i;
const byStatus: readonly { readonly status: number; readonly kind: Fault['kind'] }[] = [
  { status: 401, kind: 'unauthorised' },
  { status: 402, kind: 'out-of-credit' },
  { status: 403, kind: 'unauthorised' },
  { status: 408, kind: 'timeout' },
  { status: 425, kind: 'overloaded' },
  { status: 429, kind: 'rate-limited' },
];
/** Texts of errors in response bodies with a success status. */
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
 * Returns the wait of `Retry-After` (seconds or a date, RFC 9110, 10.2.3), `retry-after-ms`, or google.rpc.RetryInfo.
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
 * Returns `type`, `code`, `status` and `message` of an error as one text for classification; empty without an error.
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
