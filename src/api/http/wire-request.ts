import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { clientAddress } from './client-address.ts';
import type { TrustedProxies } from './connections/index.ts';
import { readBody } from './read-body.ts';
import type { WireRequest } from '#contract/wire.ts';

/** How a request is taken from the network. */
export interface Taken extends Pick<WireRequest, 'id' | 'bodyLimit'> {
  readonly isProxy: TrustedProxies | undefined;
  /** Closes when the client disconnects. */
  readonly response: ServerResponse;
  /** Its body, unread; undefined where there is none. */
  readonly stream: Readable | undefined;
  readonly matched: NonNullable<WireRequest['matched']>;
}

/** A request as it came. */
export function wireRequest(
  request: IncomingMessage,
  { id, bodyLimit, isProxy, response, stream, matched }: Taken,
): WireRequest {
  const { url = '', method = '' } = request;
  const end = url.indexOf('?');
  return {
    id,
    address: clientAddress(request, isProxy),
    method,
    path: end < 0 ? url : url.slice(0, end),
    query: end < 0 ? noQuery : new URLSearchParams(url.slice(end + 1)),
    headers: plainHeaders(request),
    matched,
    bodyLimit,
    clientGone: () => closeSignal(response),
    readBody: () => readBody(stream, bodyLimit),
  };
}

/** A signal that is aborted when the connection of a response closes. */
function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) closed.abort();
  else response.once('close', () => closed.abort());
  return closed.signal;
}

/** The query of a request without one; it is never written to. */
const noQuery = new URLSearchParams();

/** Of all headers Node hands on only one as a list. */
function plainHeaders({ headers }: IncomingMessage): WireRequest['headers'] {
  const { 'set-cookie': cookies } = headers;
  const plain: Record<string, string | string[] | undefined> =
    cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no list is a text
  return plain as WireRequest['headers'];
}
