/*
 * Limits of connections before a complete request: time, header size, connections per address, and responses to
 * violations. This file does not know what requests mean.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv4, type Socket } from 'node:net';
import { type Problem, problem, renderProblem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { addressGroup, refusalText } from '#lib/http.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';

/** Options of Fastify and its Node server; times in milliseconds, sizes in bytes. */
export interface ConnectionOptions {
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly http: {
    readonly requestTimeout: number;
    readonly headersTimeout: number;
    readonly connectionsCheckingInterval: number;
    readonly maxHeaderSize: number;
    readonly requireHostHeader: boolean;
  };
}

/**
 * Number of checks within the timeout for headers. Node checks its connections periodically, so it detects a slow
 * connection at most half of this timeout late.
 */
const looksPerTimeout = 2;

/** Returns the limits of connections from spec/rules/limits.yaml as options of Node's server. */
export function connectionOptions(rules: RuleBook): ConnectionOptions {
  const headersTimeout = getLimit(rules, 'requestHeadersTime');
  // Equals the lifetime of an upload URL: the longest request is a file over a slow connection.
  const requestTimeout = getLimit(rules, 'requestTime');
  return {
    requestTimeout,
    keepAliveTimeout: getLimit(rules, 'idleConnection'),
    http: {
      requestTimeout,
      headersTimeout,
      connectionsCheckingInterval: Math.ceil(headersTimeout / looksPerTimeout),
      maxHeaderSize: getLimit(rules, 'requestHeaders'),
      // Node's own response would have no body and no request id; `refusalWithoutHost` returns a documented one.
      requireHostHeader: false,
    },
  };
}

/** Multiple of the connection limit above which connections of an address are closed without a response. */
const deafAt = 2;

/** Options of {@link limitConnections}. */
export interface ConnectionBounds {
  /** Maximum number of open connections per address (for IPv6 per network of 64 bits), at least 1. */
  readonly max: number;
  /**
   * Trusted proxies, whose connections are not limited; undefined if no proxy is trusted. Pending requests through a
   * proxy count for the client address instead.
   */
  readonly isProxy: TrustedProxies | undefined;
}

/**
 * Limits the connections of each client address to a server. Returns a function that checks a request: it returns a
 * refusal when the client address has too many connections, otherwise null.
 */
export function limitConnections(
  server: Server,
  { max, isProxy }: ConnectionBounds,
): (request: IncomingMessage, response: ServerResponse) => Problem | null {
  const open = createCounts();
  const tooMany = new WeakSet<object>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy?.(address) === true) return;
    const { count, leave } = open.enter(addressGroup(address));
    socket.once('close', leave);
    if (count > max * deafAt) socket.destroy();
    else if (count > max) tooMany.add(socket);
  });
  const refusal = problem('too_many_connections', { limit: String(max) });
  return (request, response) => {
    const { socket } = request;
    if (isProxy?.(socket.remoteAddress ?? '') !== true) return tooMany.has(socket) ? refusal : null;
    const { count, leave } = open.enter(addressGroup(clientAddress(request, isProxy)));
    response.once('close', leave);
    return count <= max ? null : refusal;
  };
}

interface Entered {
  /** Number of open connections or pending requests of one group of client addresses, including the new one. */
  readonly count: number;
  readonly leave: () => void;
}

/** Creates counters by name. A counter is removed when it reaches zero. */
function createCounts(): { enter(name: string): Entered } {
  const counts = new Map<string, number>();
  return {
    enter(name) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const leave = (): void => {
        const left = (counts.get(name) ?? 1) - 1;
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
      };
      return { count, leave };
    },
  };
}

/** An error of the HTTP parser of Node; `reason` describes the fault in the received bytes. */
interface ClientError extends Error {
  readonly code?: string;
  readonly reason?: string;
}

const secondMs = 1000;

/**
 * Creates the handler for errors of connections. It responds to a malformed, too large or too slow request with an
 * error, and closes the connection. It writes nothing to a closed connection or while a response is being sent.
 */
export function answerClientErrors(server: Server, rules: RuleBook): (error: ClientError, socket: Socket) => void {
  const answering = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => {
    answering.set(request.socket, response);
  });
  return (error, socket) => {
    const latest = answering.get(socket);
    const isAnswering = latest?.headersSent === true && !latest.closed;
    const isHeard = error.code !== 'ECONNRESET' && socket.writable && !isAnswering;
    if (isHeard) socket.write(refusalText(renderProblem(clientErrorProblem(error, rules), rules)));
    socket.destroySoon();
  };
}

function clientErrorProblem({ code, reason, message }: ClientError, rules: RuleBook): Problem {
  const seconds = (limit: string): string => String(getLimit(rules, limit) / secondMs);
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem('headers_too_large', { limit: String(getLimit(rules, 'requestHeaders')) });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('request_too_slow', { headers: seconds('requestHeadersTime'), whole: seconds('requestTime') });
  return problem('request_not_http', { reason: reason ?? message });
}

/** Returns the refusal of an HTTP/1.1 request without Host header (RFC 9112, 3.2); otherwise null. */
export function refusalWithoutHost({ headers, httpVersion }: IncomingMessage): Problem | null {
  if (headers.host !== undefined || httpVersion !== '1.1') return null;
  return problem('request_not_http', { reason: 'it has no Host header' });
}

/**
 * Passes requests whose Expect header is unknown to the normal handler, because Node would answer 417 without a body
 * and request id. Servers may ignore expectations (RFC 9110, 10.1.1). Node handles `100-continue` itself.
 */
export function takeExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Returns whether a request comes from this machine, names a loopback host, and does not come from a page of another
 * origin. The host is checked because web pages can use DNS names that point to this machine.
 */
export function isFromThisMachine({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const { host = '', origin } = headers;
  if (!isLoopback(socket.remoteAddress ?? '') || !isLoopback(parseHost(`http://${host}`))) return false;
  return origin === undefined || origin === `http://${host}`;
}

function parseHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Returns whether a text is a loopback name or address; IPv4-mapped IPv6 addresses are included. */
export function isLoopback(host: string): boolean {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:/, '');
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
