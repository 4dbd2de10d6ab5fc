import type { Around } from '#api/http/hooks.ts';
import { shownPath } from '#api/http/request-scope.ts';
import { tooLarge, type HttpReply, type HttpRequest } from '#contract/http-messages.ts';
import type { LoggedCall } from '#contract/log-messages.ts';
import { secretMembers } from '#contract/violations.ts';
import { mock } from '#generated/rules.ts';
import { isJsonObject, type JsonValue } from '#lib/json.ts';
import { whenResolved } from '#lib/maybe-promise.ts';
import { readJson } from '../load-routes.ts';
import { type CallLog, createCallLog, type LogExchange } from './create-call-log.ts';
import { judgeCall } from './judge-call.ts';
import { type LogRoute, logRoutes, type FindResponses } from './log-routes.ts';

/** Options of {@link watchCalls}. */
export interface WatchOptions {
  readonly log: Pick<CallLog, 'add'>;
  /** The operations of the documents. */
  readonly routes: readonly LogRoute[];
  /** The API key, redacted wherever it occurs. */
  readonly apiKey: string;
  /** Maximum number of characters of a stored body. */
  readonly bodyCharsMax: number;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

/** Matches the paths that are logged, those of API calls. Pages of the mock and signed URLs are not logged. */
const ofInterface = /^\/api\/v\d+(\/|$)/;

/** Creates a hook that adds every API call to the log, with a verdict. */
export function watchCalls(options: WatchOptions): Around {
  const { routes } = options;
  return (request, answer) => {
    if (!ofInterface.test(request.path)) return answer(request);
    const beganMs = options.now();
    let bytes: Uint8Array | undefined;
    const readBody: HttpRequest['readBody'] = async () => {
      const read = await request.readBody();
      if (read !== tooLarge) bytes = read;
      return read;
    };
    const note = (status: number, answered: string | undefined): void => {
      const seen = seenCall(request, { bytes, status, answer: answered });
      const ms = options.now() - beganMs;
      const say = (): Omit<LoggedCall, 'id'> => {
        const exchange = toExchange(seen);
        const times = { at: new Date(beganMs).toISOString(), ms };
        return { ...times, ...judgeCall(exchange, routes), ...shown(exchange, options) };
      };
      // The verdict is computed when the log is read, which happens for few calls. A large call is judged and truncated
      // at once, in an event-loop tick of its own, to release its memory.
      options.log.add(countCharacters(seen) > options.bodyCharsMax ? computeLater(say) : say);
    };
    const noted = (reply: HttpReply): HttpReply => {
      const { status, body } = reply;
      const text = body === undefined ? undefined : JSON.stringify(body);
      note(status, text);
      // The response is sent as the text that was logged.
      return text === undefined ? reply : { ...reply, text };
    };
    const fail = (error: unknown): never => {
      // The server answers this error with status 500; the log stores the status without a body.
      note(500, undefined);
      throw error;
    };
    try {
      const reply = whenResolved(answer({ ...request, readBody }), noted);
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (error) {
      return fail(error);
    }
  };
}

/** A call before its details are computed. */
interface SeenCall extends Pick<LogExchange, 'method' | 'path' | 'query' | 'headers' | 'status'> {
  readonly bytes: Uint8Array | undefined;
  /** Body of the response as JSON text; undefined without a body. */
  readonly answer: string | undefined;
}

function countCharacters({ bytes, answer }: SeenCall): number {
  return (bytes?.length ?? 0) + (answer?.length ?? 0);
}

function seenCall(
  { method, path, query, headers }: HttpRequest,
  rest: Pick<SeenCall, 'bytes' | 'status' | 'answer'>,
): SeenCall {
  return { method, path, query, headers, ...rest };
}

/**
 * Computes a value in the next event-loop tick, or earlier if the returned function is called. Calls `make` only once.
 */
function computeLater<Value>(make: () => Value): () => Value {
  let state: { readonly make: () => Value } | { readonly value: Value } = { make };
  const read = (): Value => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
  setImmediate(read);
  return read;
}

function toExchange({ bytes, answer, ...same }: SeenCall): LogExchange {
  const read: unknown = answer === undefined ? undefined : JSON.parse(answer);
  return { ...same, body: readJson(bytes), answer: read };
}

type Shown = Pick<LoggedCall, 'method' | 'path' | 'query' | 'status' | 'headers' | 'body' | 'answer'>;

function shown(exchange: LogExchange, { apiKey, bodyCharsMax }: WatchOptions): Shown {
  const { method, path, query, status, headers, body, answer } = exchange;
  const withoutKey = (text: string): string => text.replaceAll(apiKey, hidden);
  const shownText = (value: unknown): string | null => {
    if (value === undefined) return null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it comes from JSON.parse
    const beginning = takeBeginning(value as JsonValue, { left: bodyCharsMax });
    const text = withoutKey(JSON.stringify(beginning, null, 2));
    return text.length > bodyCharsMax ? `${text.slice(0, bodyCharsMax)}…` : text;
  };
  return {
    method,
    path: withoutKey(shownPath(path)),
    query: withoutKey(shownQuery(query)),
    status,
    headers: redactHeaders(headers),
    body: shownText(body),
    answer: shownText(answer),
  };
}

/** Text that replaces redacted values. */
const hidden = '(hidden)';

/** Matches the names of headers whose values the log shows, because they contain no secrets and no personal data. */
const shownHeaders = /^(accept.*|connection|content-.+|host|origin|prefer|sec-fetch-.+|user-agent|x-request-id)$/;

const secretName = /key|token|secret|sign|auth|password/i;

/** Returns the headers of a request for the log. Hides the values of all headers except `shownHeaders`. */
function redactHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, shownHeaders.test(name) ? value : hidden] as const],
    ),
  );
}

/**
 * Copies the beginning of a JSON value for the log, and hides the values of secret members at any depth. `room.left` is
 * the number of characters that may still be copied. At 0 the rest is skipped, because a body can have 20,000 members.
 */
function takeBeginning(value: JsonValue, room: { left: number }): JsonValue {
  room.left -= typeof value === 'string' ? value.length : 1;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) if (room.left > 0) items.push(takeBeginning(item, room));
    return items;
  }
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (room.left <= 0) break;
    room.left -= name.length;
    members.push([name, inner !== null && secretMembers.includes(name) ? hidden : takeBeginning(inner, room)]);
  }
  return Object.fromEntries(members);
}

/**
 * Returns a query with its question mark for the log; empty without a query. Hides the value of a parameter whose name
 * suggests a secret.
 */
function shownQuery(query: URLSearchParams): string {
  const pairs = Array.from(query, ([name, value]) => `${name}=${secretName.test(name) ? hidden : value}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Creates a request log of the size that spec/rules/mock.yaml sets, and the hook that adds calls to it. */
export function createDefaultLog(
  apiKey: string,
  findResponses?: FindResponses,
): { readonly calls: CallLog; readonly watch: Around } {
  const { callsMax, bodyCharsMax } = mock.log;
  const calls = createCallLog(callsMax);
  return {
    calls,
    watch: watchCalls({ log: calls, routes: logRoutes(findResponses), apiKey, bodyCharsMax, now: Date.now }),
  };
}
