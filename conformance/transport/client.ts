import type { RequestSpec, Send } from '../core/request.ts';
import type { AnswerBudget, ServiceWatch } from './answer-limits.ts';
import { withCeiling } from './ceilings.ts';
import type { Exchange } from '../core/exchange.ts';
import { type Redact, keyPlaceholders, redactHeaders, redactJson } from './redact.ts';
import { type JsonValue, parseJson } from '../core/json.ts';
import type { PauseGate } from './pause-gate.ts';
import { decideRetry } from './retry-policy.ts';
import { createRandom, hashText } from '../core/random.ts';
import { NotRun, OwnRequestError, TooManyRequests } from '../core/outcome.ts';
import type { Recorder } from '../core/recorder.ts';
import type { Schemas } from '../core/schemas.ts';
import { stampRequest } from './stamp.ts';
import { type Target, generationUrl } from '../core/target.ts';
import type { Throttle } from '../core/controls.ts';
import type { Answer, Transport } from '../core/transport.ts';

/** Dependencies of the suite's HTTP client. */
export interface ClientOptions {
  target: Target;
  apiKey: string;
  /** Key of another project; redacted like the first key. */
  otherApiKey: string | undefined;
  /** Tag of the run. */
  stamp: string;
  /** Additional headers for every request to the target; not sent to third parties. */
  headers: Record<string, string>;
  timeoutMs: number;
  /** True when only GET and HEAD may be sent. */
  readOnly: boolean;
  schemas: Schemas;
  recorder: Recorder;
  throttle: Throttle;
  transport: Transport;
  /** Ends the run when no connection can be made any more. */
  onUnreachable: (reason: string) => void;
  /** Limits the size of the responses that the run keeps. */
  answerBudget: AnswerBudget;
  /** Ends the run when the target serves no request any more; undefined in a clean-up, which has a time limit. */
  serviceWatch: ServiceWatch | undefined;
  /** Replaces secrets in everything that is recorded. */
  redact: Redact;
  /** Milliseconds since the run began. */
  elapsedMs: () => number;
  /** Receives every exchange. */
  onExchange: ((exchange: Exchange) => void) | undefined;
  /**
   * Gate that stops all requests of the run during a pause: the wait that a Retry-After demands, or a wait for a target
   * that accepts no connection.
   */
  pauseGate: PauseGate;
  /** Waits for a time in ms. */
  pause: (ms: number) => Promise<void>;
  seed: number;
  /** Maximum accepted wait of a response's Retry-After, in ms. */
  retryAfterMaxMs: number;
  /** Aborts every request in flight except creations. `send` then throws the signal's reason. */
  signal: AbortSignal;
}

/** Creates a client that records its exchanges under the name `sentBy`. */
export function createClient(options: ClientOptions, sentBy: string): Send {
  const random = createRandom(options.seed ^ hashText(sentBy));
  const once = async (spec: RequestSpec): Promise<Exchange> => {
    const exchange = await options.throttle(async () => {
      await options.pauseGate.pass();
      options.signal.throwIfAborted();
      return perform(options, spec, sentBy);
    });
    if (spec.creates !== true) options.signal.throwIfAborted();
    const kept = options.recorder.add({ ...exchange, sentBy });
    options.onExchange?.(kept);
    return kept;
  };
  return async (asked) => {
    assertAllowed(options, asked);
    const spec = stampRequest(withCeiling(asked, options.target), options.stamp);
    assertValid(options.schemas, spec);
    for (let time = 0; ; time += 1) {
      const exchange = await once(spec);
      // Every answer is kept: an answer to a retry does not hide its predecessors.
      const retry = decideRetry({ exchange, spec, time, random: random(), ...getPollingWaits(options) });
      if (retry.does === 'giveUp') throw new TooManyRequests(retry.reason);
      if (retry.does === 'end') {
        options.onUnreachable(retry.reason);
        throw new NotRun(retry.reason);
      }
      if (retry.does === 'keep') {
        const held = retry.holdMs > 0 ? options.pauseGate.holdFor(options.pause(retry.holdMs)) : undefined;
        // A creation may have created something, even if the run ends during the wait.
        await (spec.creates === true ? held?.catch(() => undefined) : held);
        return exchange;
      }
      const wait = options.pause(retry.waitMs);
      await (retry.everybody ? options.pauseGate.holdFor(wait) : wait);
    }
  };
}

function getPollingWaits({ target, retryAfterMaxMs }: ClientOptions): { intervalMs: number; retryAfterMaxMs: number } {
  return { intervalMs: target.polling.intervalMs, retryAfterMaxMs };
}

// The plan omits every check that needs another method. This function is the last safeguard before the target.
function assertAllowed({ readOnly }: ClientOptions, { operation, method }: RequestSpec): void {
  if (!readOnly || ['GET', 'HEAD'].includes(method.toUpperCase())) return;
  throw new OwnRequestError(`${operation}: ${method} in a run that only reads (--read-only)`);
}

// An invalid request of the suite must not be mistaken for a fault of the target.
function assertValid(schemas: Schemas, spec: RequestSpec): void {
  if (spec.invalid === true || spec.rawBody !== undefined) return;
  if (spec.generation === 'other') return;
  const problems = schemas.requestProblems(spec.generation, spec.operation, spec.body);
  if (problems.length > 0) throw new OwnRequestError(`${spec.operation}: ${problems.join('; ')}`);
}

/** Returns true for a URL that a response has named and whose host is not that of the target. */
function isForeign({ target }: ClientOptions, { generation }: RequestSpec, url: string): boolean {
  return generation === 'other' && URL.parse(url)?.hostname !== new URL(target.url).hostname;
}

async function perform(
  options: ClientOptions,
  spec: RequestSpec,
  sentBy: string,
): Promise<Omit<Exchange, 'index' | 'sentBy'>> {
  // For `other`, the path is already a URL.
  const url = spec.generation === 'other' ? spec.path : generationUrl(options.target, spec.generation, spec.path);
  const body = spec.rawBody ?? (spec.body === undefined ? undefined : JSON.stringify(spec.body));
  const headers = requestHeaders(trusted(options.target, spec, url) ? options : undefined, spec, body);
  const { elapsedMs, redact } = options;
  const shown = {
    url: redact(url),
    headers: redactHeaders(options, headers, redact),
    ...(body === undefined ? {} : { body: redact(body) }),
  };
  const begin = elapsedMs();
  const received = await options.transport({
    sentBy,
    operation: spec.operation,
    method: spec.method,
    url,
    headers,
    ...(body === undefined ? {} : { body }),
    shown,
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    outlivesRun: spec.creates === true,
    isForeign: isForeign(options, spec, url),
  });
  const answer = options.answerBudget.admit(received);
  options.serviceWatch?.note(answer, spec);
  const hide = redactAnswers(options);
  const text = redactBody(answer.body, hide);
  return {
    generation: spec.generation,
    operation: spec.operation,
    ...(answer.times ?? { atMs: begin, durationMs: elapsedMs() - begin }),
    request: { method: spec.method, ...shown },
    status: answer.status,
    headers: hiddenIn(answer.headers, hide),
    body: text,
    json: parseBody(answer, text),
    ...(answer.fault === undefined ? {} : { fault: redact(answer.fault) }),
    ...(answer.exceeds === undefined ? {} : { exceeds: answer.exceeds }),
  };
}

/**
 * Returns a function that redacts the text of a response. It also replaces the placeholders of the keys where a response
 * itself contains them: in a CDP URL and in a copied shell line they stand for a key, which no host may obtain by naming
 * it.
 * During playback of a recording, the placeholder stands for a key that was redacted.
 */
function redactAnswers({ apiKey, redact }: ClientOptions): Redact {
  if (apiKey === keyPlaceholders.apiKey) return redact;
  return (text) =>
    redact(
      text
        .replaceAll(keyPlaceholders.apiKey, '<the text SERVICE_API_KEY>')
        .replaceAll(keyPlaceholders.otherApiKey, '<the text SVC_OTHER_API_KEY>'),
    );
}

/**
 * Redacts a body. In JSON, redacts texts and names of members only: a number in which the digits of a header value occur
 * stays a number. Returns JSON that needs more than a replacement of text in the form of `JSON.stringify`.
 */
function redactBody(body: string, redact: Redact): string {
  const shown = redact(body);
  if (shown === body && !body.includes('\\')) return body;
  const value = parseJson(body);
  if (value === undefined) return shown;
  const hidden = JSON.stringify(redactJson(value, redact));
  return JSON.stringify(parseJson(shown)) === hidden ? shown : hidden;
}

/** Returns the redacted body as JSON; undefined if it is not JSON, is nested too deep, or was cut off at a limit. */
function parseBody({ body, json, exceeds }: Answer, shown: string): JsonValue | undefined {
  if (exceeds !== undefined) return undefined;
  return shown === body && json !== undefined ? json : parseJson(shown);
}

/** Redacts headers; returns the same object when it contains no secret. */
function hiddenIn(headers: Record<string, string>, redact: Redact): Record<string, string> {
  if (Object.values(headers).every((value) => redact(value) === value)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}

// A URL of an answer or of the target file may belong to a third party, which must not receive secrets.
function trusted(target: Target, spec: RequestSpec, url: string): boolean {
  if (spec.generation !== 'other') return true;
  return URL.canParse(url) && new URL(url).origin === new URL(target.url).origin;
}

function keyValue(key: NonNullable<RequestSpec['key']>, options: ClientOptions | undefined): string | undefined {
  if (key === 'right') return options?.apiKey;
  return key === 'none' ? undefined : key.other;
}

// Without options, the request goes to a third party. It then carries neither a key nor the headers of the command
// line.
function requestHeaders(
  options: ClientOptions | undefined,
  spec: RequestSpec,
  body: string | undefined,
): Record<string, string> {
  const value = keyValue(spec.key ?? 'right', options);
  return {
    ...options?.headers,
    ...(value === undefined || options === undefined ? {} : { [options.target.keyHeader]: value }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...spec.headers,
  };
}
