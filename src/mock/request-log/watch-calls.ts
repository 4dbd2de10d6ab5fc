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
import { type LogRoute, logRoutes, type ResponsesOf } from './log-routes.ts';

/** How calls are noted. */
export interface WatchOptions {
  readonly log: Pick<CallLog, 'add'>;
  /** What the documents know. */
  readonly routes: readonly LogRoute[];
  /** The API key, redacted wherever it occurs. */
  readonly apiKey: string;
  /** Characters of a body that are kept. */
  readonly bodyCharsMax: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Only calls of the interface are noted: not the pages of the mock, and not addresses that carry their own right. */
const ofInterface = /^\/api\/v\d+(\/|$)/;

/** Notes every call and how it is judged. */
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
        const exchange = exchangeOf(seen);
        const times = { at: new Date(beganMs).toISOString(), ms };
        return { ...times, ...judgeCall(exchange, routes), ...shown(exchange, options) };
      };
      // Judged when the log is read, which most calls never are. A large call is judged and cut in an event-loop tick of its own.
      options.log.add(charactersOf(seen) > options.bodyCharsMax ? madeSoon(say) : say);
    };
    const noted = (reply: HttpReply): HttpReply => {
      const { status, body } = reply;
      const text = body === undefined ? undefined : JSON.stringify(body);
      note(status, text);
      // It is written as it was noted.
      return text === undefined ? reply : { ...reply, text };
    };
    const fail = (error: unknown): never => {
      // The server makes an answer of it; what is noted is that there was one.
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
  /** As it goes over the network: without what JSON cannot carry. */
  readonly answer: string | undefined;
}

function charactersOf({ bytes, answer }: SeenCall): number {
  return (bytes?.length ?? 0) + (answer?.length ?? 0);
}

function seenCall(
  { method, path, query, headers }: HttpRequest,
  rest: Pick<SeenCall, 'bytes' | 'status' | 'answer'>,
): SeenCall {
  return { method, path, query, headers, ...rest };
}

/** Makes a value in the next tick of the event loop, or when it is read before. Releases whatever it is made of. */
function madeSoon<Value>(make: () => Value): () => Value {
  let state: { readonly make: () => Value } | { readonly value: Value } = { make };
  const read = (): Value => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
  setImmediate(read);
  return read;
}

function exchangeOf({ bytes, answer, ...same }: SeenCall): LogExchange {
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
    const beginning = beginningOf(value as JsonValue, { left: bodyCharsMax });
    const text = withoutKey(JSON.stringify(beginning, null, 2));
    return text.length > bodyCharsMax ? `${text.slice(0, bodyCharsMax)}…` : text;
  };
  return {
    method,
    path: withoutKey(shownPath(path)),
    query: withoutKey(shownQuery(query)),
    status,
    headers: shownHeadersOf(headers),
    body: shownText(body),
    answer: shownText(answer),
  };
}

/** Replacement for redacted values. */
const hidden = '(hidden)';

/** Headers whose values say nothing about anybody. */
const shownHeaders = /^(accept.*|connection|content-.+|host|origin|prefer|sec-fetch-.+|user-agent|x-request-id)$/;

const secretName = /key|token|secret|sign|auth|password/i;

/** The headers of a request, those with a meaning of their own by name alone. */
function shownHeadersOf(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, shownHeaders.test(name) ? value : hidden] as const],
    ),
  );
}

/**
 * Returns the beginning of a value, without what its members hold in secret, however deep. `room` counts down its characters; behind the
 * last of them nothing is copied, because a body can have 100,000 members and only its beginning is shown.
 */
function beginningOf(value: JsonValue, room: { left: number }): JsonValue {
  room.left -= typeof value === 'string' ? value.length : 1;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) if (room.left > 0) items.push(beginningOf(item, room));
    return items;
  }
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (room.left <= 0) break;
    room.left -= name.length;
    members.push([name, inner !== null && secretMembers.includes(name) ? hidden : beginningOf(inner, room)]);
  }
  return Object.fromEntries(members);
}

/** A query with its question mark; empty for none. */
function shownQuery(query: URLSearchParams): string {
  const pairs = Array.from(query, ([name, value]) => `${name}=${secretName.test(name) ? hidden : value}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** A log as long as spec/rules/mock.yaml has it, and what notes calls in it. */
export function createUsualLog(
  apiKey: string,
  responsesOf?: ResponsesOf,
): { readonly calls: CallLog; readonly watch: Around } {
  const { callsMax, bodyCharsMax } = mock.log;
  const calls = createCallLog(callsMax);
  return {
    calls,
    watch: watchCalls({ log: calls, routes: logRoutes(responsesOf), apiKey, bodyCharsMax, now: Date.now }),
  };
}
