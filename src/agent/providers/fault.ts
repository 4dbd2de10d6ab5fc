import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { ModelFailure, ModelUsage } from '../model/model-call.ts';

/** What went wrong with one attempt. */
export interface Fault {
  readonly kind: ModelFailure['kind'];
  /** What the provider says it charges all the same; null where it says nothing. */
  readonly usage: ModelUsage | null;
  /** How long the provider wants to be left alone, in milliseconds; null where it names no time. */
  readonly waitMs: number | null;
  /** Status of the answer; null where there was none. */
  readonly status: number | null;
}

/** A fault of an attempt that brought no answer. */
export function silentFault(kind: Fault['kind']): Fault {
  return { kind, usage: null, waitMs: null, status: null };
}

/** An answer that says that something went wrong. */
export interface BadAnswer {
  /** 200 where a provider answers so and says in the body that it failed. */
  readonly status: number;
  readonly headers: Headers;
  /** Its body; empty where that was no JSON object. */
  readonly body: JsonObject;
}

/** What such an answer means, by its status and by what some providers say only in words. */
export function faultOfAnswer({ status, headers, body }: BadAnswer, now: () => number): Fault {
  const words = errorWords(body);
  return { kind: kindOf(status, words), usage: null, waitMs: namedWait(headers, body, now), status };
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
/** What is said of a fault in the body of an answer that is no error by its status. */
const byWords: readonly { readonly words: RegExp; readonly kind: Fault['kind'] }[] = [
  { words: /rate_limit|RESOURCE_EXHAUSTED|\b429\b/i, kind: 'rate-limited' },
  { words: /overloaded|server_error|UNAVAILABLE|INTERNAL|\b50[0-4]\b/i, kind: 'overloaded' },
  { words: /authentication|permission|UNAUTHENTICATED|PERMISSION_DENIED|\b401\b/i, kind: 'unauthorised' },
];

function kindOf(status: number, words: string): Fault['kind'] {
  if (noCredit.test(words)) return 'out-of-credit';
  if (noKey.test(words)) return 'unauthorised';
  const known = byStatus.find((row) => row.status === status)?.kind;
  if (known !== undefined) return known;
  if (status >= 500) return 'overloaded';
  if (status >= 400) return 'bad-request';
  return byWords.find((row) => row.words.test(words))?.kind ?? 'garbled';
}

/** `Retry-After` as seconds or a date (RFC 9110, 10.2.3), `retry-after-ms`, or the retryDelay of google.rpc.RetryInfo. */
function namedWait(headers: Headers, body: JsonObject, now: () => number): number | null {
  const precise = headers.get('retry-after-ms');
  if (precise !== null && /^\d+(?:\.\d+)?$/.test(precise)) return Math.ceil(Number(precise));
  const after = headers.get('retry-after');
  if (after === null) return delayOf(body);
  if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : Math.max(0, date - now());
}

function delayOf({ error }: JsonObject): number | null {
  const details = isJsonObject(error) && Array.isArray(error['details']) ? error['details'] : [];
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : null;
    const [, seconds] = typeof delay === 'string' ? (/^(\d+(?:\.\d+)?)s$/.exec(delay) ?? []) : [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}

/** What an answer says of its error, as `type`, `code`, `status` and `message` in one text; empty where it has none. For telling faults apart only. */
export function errorWords(answer: JsonObject): string {
  const { error } = answer;
  if (typeof error === 'string') return error;
  return isJsonObject(error) ? wordsOf(error) : '';
}

function wordsOf(error: JsonObject): string {
  const reasons = Array.isArray(error['details'])
    ? error['details'].flatMap((detail) => (isJsonObject(detail) ? [detail['reason']] : []))
    : [];
  return ['type', 'code', 'status', 'message']
    .map((member) => error[member])
    .concat(reasons)
    .filter((word) => typeof word === 'string' || typeof word === 'number')
    .join(' ');
}
