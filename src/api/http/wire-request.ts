import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { tooLarge, type HttpRequest } from '#contract/http-messages.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';

/** How a request is taken from the network. */
export interface Taken extends Pick<HttpRequest, 'id' | 'bodyLimit'> {
  readonly isProxy: TrustedProxies | undefined;
  /** Closes when the client disconnects. */
  readonly response: ServerResponse;
  /** The unread body; undefined without one. */
  readonly stream: Readable | undefined;
  readonly matched: NonNullable<HttpRequest['matched']>;
}

/** A request as it came. */
export function wireRequest(
  request: IncomingMessage,
  { id, bodyLimit, isProxy, response, stream, matched }: Taken,
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
function plainHeaders({ headers }: IncomingMessage): HttpRequest['headers'] {
  const { 'set-cookie': cookies } = headers;
  const plain: Record<string, string | string[] | undefined> =
    cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no list is a text
  return plain as HttpRequest['headers'];
}

/**
 * The bytes of a body of at most `limit` bytes. What comes after the limit is thrown away and not cut off, so that a client
 * that is still sending can read the refusal.
 */
function readBody(stream: Readable | undefined, limit: number): Promise<Uint8Array | typeof tooLarge> {
  if (stream === undefined) return Promise.resolve(new Uint8Array());
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

/** The client went away before it had sent its whole request; with the code that Node gives such an end when it notices it itself. */
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
