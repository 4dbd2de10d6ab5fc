import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SpanIds } from '#lib/tracer.ts';

/** Associates asynchronous work with the request that started the work. */
export interface RequestScope {
  /** Runs work, including the asynchronous work that it starts, within a request. */
  run(requestId: string, work: () => void): void;
  /** Returns the id of the current request; undefined outside of any request. */
  current(): string | undefined;
}

/** Creates a request scope that is independent of other scopes. */
export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<string>();
  return { run: (id, work) => storage.run(id, work), current: () => storage.getStore() };
}

/** A wrapper of the work for a request, such as a context for asynchronous work. It calls `work` once. */
export type Enter = (response: ServerResponse, work: () => void) => void;

/** Matches request ids that are safe in log lines and headers. */
const harmless = /^[A-Za-z0-9][A-Za-z0-9._~:@/+=-]{0,127}$/;

/**
 * Returns the id of a request: the client's `X-Request-Id` if it is a safe token of at most 128 characters, otherwise a
 * new id.
 */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && harmless.test(given) ? given : randomUUID();
}

/** The operation and route pattern of a request. */
export interface MatchedRoute {
  /** An operation such as `v4 createRun`; undefined without a match. */
  readonly operation: string | undefined;
  /** The route pattern; undefined without a match. */
  readonly route: string | undefined;
}

/** A received HTTP request with its id, before and after routing. API operations, file URLs and pages share it. */
export interface EdgeRequest {
  /** The client's `X-Request-Id`, or a new id. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Operation and route of the request; both undefined until they are known. */
  matched: MatchedRoute;
}

const unmatched: MatchedRoute = { operation: undefined, route: undefined };

/** Creates an {@link EdgeRequest} from a request that Node has received. */
export function toEdgeRequest(request: IncomingMessage, response: ServerResponse): EdgeRequest {
  return { id: requestId(request.headers['x-request-id']), request, response, matched: unmatched };
}

/**
 * Returns the ids of a span as members of a log line; an empty object without a span. The names are those that
 * OpenTelemetry defines for other log formats.
 */
export function idsInLog(ids: SpanIds | undefined): { readonly trace_id?: string; readonly span_id?: string } {
  return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId };
}

/**
 * Returns a URL path that is safe in a log. It removes the query, which may contain a signature, and access tokens of
 * live views, shares and browsers. The path is normalised first (origin, percent-encoding, doubled slashes), so that a
 * token is found in every spelling. A path that is encoded too many times is shown as `…`. Never throws.
 */
export function shownPath(url: string): string {
  const [encoded = ''] = url.split(/[?#]/, 1);
  const [path = ''] = decoded(shortened(encoded.replace(originPattern, ''))).split(/[?#]/, 1);
  const plain = path.replaceAll(/\/{2,}/g, '/');
  return plain.replace(tokenRoute, '/$1/…').replaceAll(tokenPattern, (text) => (uuidPattern.test(text) ? text : '…'));
}

/** Maximum length of an encoded path, in characters. */
const pathMax = 2_048;

/**
 * Returns a path of at most `pathMax` characters unchanged. Cuts a longer path after a slash, because a part of a token
 * would not be recognised as a token.
 */
function shortened(path: string): string {
  return path.length <= pathMax ? path : `${path.slice(0, path.lastIndexOf('/', pathMax - 1) + 1)}…`;
}

const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;

const tokenRoute = /^\/(live|share|devtools\/browser)\/[^/]+/i;

/** Matches access tokens; ids, which are not secret, match too. */
const tokenPattern = /[A-Za-z0-9_-]{20,}/g;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Maximum number of rounds of percent-decoding. The client chooses how many times it encodes a path. */
const roundsMax = 4;

/** Decodes percent-encoding repeatedly. Returns `…` for a text that is still encoded after `roundsMax` rounds. */
function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < roundsMax && isEncoded(plain); round += 1)
    plain = plain.replaceAll(encodedPattern, (_whole, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return isEncoded(plain) ? '…' : plain;
}

function isEncoded(text: string): boolean {
  return text.search(encodedPattern) >= 0;
}

const encodedPattern = /%([0-9a-f]{2})/gi;
