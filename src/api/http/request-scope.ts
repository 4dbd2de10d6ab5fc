import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { SpanIds } from '#lib/tracer.ts';

/** Knows which request a piece of work belongs to, however deep it is. */
export interface RequestScope {
  /** Does a piece of work, and all that it sets going, as a part of that request. */
  run(requestId: string, work: () => void): void;
  /** The request that the work of this moment belongs to; undefined outside of any. */
  current(): string | undefined;
}

/** A scope of its own. */
export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<string>();
  return { run: (id, work) => storage.run(id, work), current: () => storage.getStore() };
}

/** Stands around the work for a request: does it, and all that it sets going, in a state of its own. */
export type Enter = (response: ServerResponse, work: () => void) => void;

/** Several of them, the first one outermost. */
export function enterAll(enters: readonly Enter[]): Enter {
  const [first, ...others] = enters;
  if (first === undefined) return (_response, work) => work();
  if (others.length === 0) return first;
  const inner = enterAll(others);
  return (response, work) => first(response, () => inner(response, work));
}

/** What stands in a log line and in a header without harm. */
const harmless = /^[A-Za-z0-9][A-Za-z0-9._~:@/+=-]{0,127}$/;

/** The id of a request: the caller's own (`X-Request-Id`), where it is a harmless token of at most 128 characters, else a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && harmless.test(given) ? given : randomUUID();
}

/** A span as log lines name it, by the names that OpenTelemetry has for logs of other formats; nothing outside of any. */
export function idsInLog(ids: SpanIds | undefined): { readonly trace_id?: string; readonly span_id?: string } {
  return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId };
}

/**
 * An address as it may stand in a log: without its query, which can carry a signature, and without the token of a live view, of
 * a share or of a browser, which is a right by itself. It is brought to its plain spelling first, because a token is one in every spelling:
 * without origin, percent-encoding and doubled slashes. Never throws.
 */
export function shownPath(url: string): string {
  const [path = ''] = decoded(url.replace(ORIGIN, '')).split(/[?#]/, 1);
  const plain = path.replaceAll(/\/{2,}/g, '/');
  return plain.replace(TOKEN_ROUTE, '/$1/…').replaceAll(TOKEN, (text) => (UUID.test(text) ? text : '…'));
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;

const TOKEN_ROUTE = /^\/(live|share|devtools\/browser)\/[^/]+/i;

/** What an unguessable token looks like; ids, which are no secret, do too. */
const TOKEN = /[A-Za-z0-9_-]{20,}/g;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Decodes until nothing is encoded any more; each round is shorter than the one before. */
function decoded(text: string): string {
  const once = text.replaceAll(ENCODED, (_whole, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return once === text ? text : decoded(once);
}

const ENCODED = /%([0-9a-f]{2})/gi;
