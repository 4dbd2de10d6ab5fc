import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { tooLarge, type HttpRequest } from '#contract/http-messages.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';

/** Parts of a received request. */
export interface RequestParts extends Pick<HttpRequest, 'id' | 'bodyLimit'> {
  readonly isProxy: TrustedProxies | undefined;
  /** The response, which closes when it has been sent or the client disconnects. */
  readonly response: ServerResponse;
  /** The unread body; undefined without one. */
  readonly stream: Readable | undefined;
  readonly matched: NonNullable<HttpRequest['matched']>;
}

/** Converts a Node request to an HttpRequest. */
export function toHttpRequest(
  request: IncomingMessage,
  { id, bodyLimit, isProxy, response, stream, matched }: RequestParts,
): HttpRequest {
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

/** Returns a signal that aborts when a response has been sent, or its connection has closed. */
function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) closed.abort();
  else response.once('close', () => closed.abort());
  return closed.signal;
}

/** Empty query of a request that has no query; never modified. */
const noQuery = new URLSearchParams();

/** Returns the headers as texts. Node returns a list for `set-cookie` only. */
function plainHeaders({ headers }: IncomingMessage): HttpRequest['headers'] {
  const { 'set-cookie': cookies } = headers;
  const plain: Record<string, string | string[] | undefined> =
    cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no list is a text
  return plain as HttpRequest['headers'];
}

/**
 * Returns a body of at most `limit` bytes, otherwise `tooLarge`. The rest of a larger body is read and discarded, so
 * that a client that is still sending can read the refusal. Rejects with {@link ClientGone} after a disconnect.
 */
function readBody(stream: Readable | undefined, limit: number): Promise<Uint8Array | typeof tooLarge> {
  if (stream === undefined) return Promise.resolve(new Uint8Array());
  // A destroyed stream emits no further events.
  if (stream.destroyed && !stream.readableEnded) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
    });
    stream.on('end', () => resolve(length > limit ? tooLarge : Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('close', () => {
      // Runs for complete bodies too; the error is created only after a disconnect.
      if (!stream.readableEnded) reject(new ClientGone());
    });
  });
}

/**
 * Thrown when a client disconnects before it has sent its whole request. It has the code of Node's own error for a
 * disconnect.
 */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  readonly code = 'ECONNRESET';

  constructor() {
    super('the client went away before it had sent its request');
  }
}

/** Returns whether an error only reports that the client disconnected. */
export function isClientGone(error: unknown, request: IncomingMessage): boolean {
  const isReset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isReset && request.destroyed && !request.complete;
}
