import type { ClientRequest, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList } from 'node:net';
import { takeRequestedRange, exceedingAnswer } from './answer-limits.ts';
import { BoundedBytes, suiteLimit } from '../core/bounds.ts';
import { faultAnswer } from './fault-text.ts';
import { briefAgents, readAllSockets, request as requestHttp, userAgent } from './node-http.ts';
import { byFetch } from './send-by-fetch.ts';
import type { Answer, AnswerLimit, Transport, TransportRequest } from '../core/transport.ts';
import type { Transform } from 'node:stream';
import {
  type BrotliOptions,
  type ZlibOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib';

/**
 * Sends a request over Node's HTTP client and reads the response as `fetch` would. This takes a third of the processor
 * time of `fetch`. Invalid URLs, URLs with credentials, and URLs of another scheme than http and https are passed to
 * `fetch`.
 */
export const sendOverHttp: Transport = async (request) => {
  const address = URL.parse(request.url);
  if (address === null || !isPlain(address)) return byFetch()(request);
  // A connection of the last request is kept after the same wait, which began earlier.
  if (!isIdempotent(request)) await readAllSockets();
  for (let time = 0; ; time += 1) {
    const sending: Sending = { asked: request, address };
    try {
      return await exchange(sending);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (time < resendsMax && isStale(sending, error)) continue;
      return faultAnswer(error, request.timeoutMs);
    }
  }
};

/** State of one attempt to send a request. */
interface Sending {
  readonly asked: TransportRequest;
  readonly address: URL;
  /** Node's request object; undefined before it is created. */
  sent?: ClientRequest;
  /** Number of bytes that the connection had received before this request; undefined without a connection. */
  bytesBefore?: number;
}

/** Maximum number of retries on idle connections that the server has closed. */
const resendsMax = 8;

/** Idempotent methods, which may be sent again (RFC 9110, section 9.2.2). */
const idempotentMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

function isIdempotent({ method }: Pick<TransportRequest, 'method'>): boolean {
  return idempotentMethods.includes(method.toUpperCase());
}

/**
 * Returns true if a server has closed an idle connection at the moment in which a request reused it. RFC 9112, section
 * 9.3.1, lets a client send such a request again if it is idempotent. A reset after a byte of the answer, or on a new
 * connection, is a fault.
 */
function isStale({ asked, sent, bytesBefore }: Sending, error: Error): boolean {
  const isReset = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  const isUnanswered = sent?.reusedSocket === true && sent.socket?.bytesRead === bytesBefore;
  return isReset && isUnanswered && isIdempotent(asked);
}

function isPlain({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/**
 * Headers that `fetch` sends by default, and the suite's User-Agent. With other headers, a target might answer
 * differently.
 */
const usualHeaders = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': userAgent,
} as const;

/** Maximum wait for a connection in ms, as in `fetch`. */
const connectMaxMs = 10_000;

function exchange(sending: Sending): Promise<Answer> {
  const { asked, address } = sending;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = open(asked, address);
  sending.sent = sent;
  // Rejects before the request is destroyed, because the error of a destroyed request does not state the reason.
  const end = (reason: Error): void => {
    reject(reason);
    sent.destroy();
  };
  let reading: Reading | undefined;
  const giveUp = (limit: AnswerLimit, bound?: number): void => {
    const { status = 0, headers = {}, collected } = reading ?? {};
    const bytes = collected?.bytes(suiteLimit('answerExcerpt')) ?? Buffer.alloc(0);
    resolve(exceedingAnswer({ limit, ...(bound === undefined ? {} : { bound }), status, headers, bytes }));
    sent.destroy();
  };
  const release = endInTime(sent, asked, (reason) => {
    if (reading !== undefined && reason.name === 'TimeoutError') giveUp('answerTime', asked.timeoutMs);
    else end(reason);
  });
  sent.on('error', reject);
  // Without a listener Node would close the connection silently.
  sent.once('upgrade', (_answer, socket) => {
    socket.destroy();
    end(new Error('bad upgrade'));
  });
  let interim = 0;
  sent.on('information', () => {
    interim += 1;
    if (interim > suiteLimit('answerInterim')) giveUp('answerInterim');
  });
  sent.once('socket', ({ bytesRead }) => {
    sending.bytesBefore = bytesRead;
  });
  sent.once('response', (response) => {
    // Status 0 would stand for no response.
    if (response.statusCode === 0) return end(new Error('the status 000'));
    const collected = new BoundedBytes(suiteLimit('answerBytes'));
    reading = { status: response.statusCode ?? 0, headers: joinHeaders(response.rawHeaders), collected };
    const begun = reading;
    response.on('data', (part: Buffer) => {
      if (collected.add(part)) return;
      const beginning = takeRequestedRange(asked, { ...begun, bytes: collected.bytes(suiteLimit('answerExcerpt')) });
      if (beginning !== undefined) resolve(beginning);
      giveUp('answerBytes');
    });
    response.on('error', reject);
    response.once('end', () => resolve(readAnswer(begun)));
  });
  sent.end(asked.body);
  return promise.finally(release);
}

/** An answer whose body is being read. */
interface Reading {
  status: number;
  headers: Record<string, string>;
  collected: BoundedBytes;
}

function open(asked: TransportRequest, address: URL): ClientRequest {
  const { method, headers, body, isForeign = false } = asked;
  const secure = address.protocol === 'https:';
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const coding = { 'accept-encoding': secure ? 'br, gzip, deflate' : 'gzip, deflate' };
  const send = secure ? requestHttps : requestHttp;
  // Node's global agents keep connections open, and use the proxies from Node's own options.
  const agent = isIdempotent(asked) ? {} : { agent: secure ? briefAgents.secure : briefAgents.plain };
  const maxHeaderSize = suiteLimit('answerHeaders');
  return send({
    ...splitUrl(address),
    method,
    maxHeaderSize,
    ...agent,
    ...(isForeign ? { blockList: linkLocal } : {}),
    headers: { ...usualHeaders, ...coding, ...length, ...headers },
  });
}

/**
 * Addresses at which clouds serve the credentials of a machine. A target may name such a URL, and the report would
 * contain the response.
 */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16);
linkLocal.addSubnet('fe80::', 10, 'ipv6');
linkLocal.addAddress('fd00:ec2::254', 'ipv6');

/**
 * Returns the parts of a URL that Node needs for a request. Passing the complete URL would double the processor time of
 * the request.
 */
function splitUrl({ hostname, port, pathname, search }: URL): Pick<RequestOptions, 'hostname' | 'port' | 'path'> {
  // Node expects an IPv6 address without the brackets of the URL.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return { hostname: host, path: `${pathname}${search}`, ...(port === '' ? {} : { port }) };
}

/**
 * Calls `end` with the reason if no response has ended within the request's timeout or no connection is made within
 * `connectMaxMs`. Also calls `end` when the run ends, unless the request outlives the run. Returns a function that
 * cancels these calls.
 */
function endInTime(sent: ClientRequest, asked: TransportRequest, end: (reason: Error) => void): () => void {
  const { url, timeoutMs, signal, outlivesRun } = asked;
  const onAbort = (): void => end(getAbortReason(signal));
  const late = setTimeout(() => end(new DOMException(`no answer of ${url}`, 'TimeoutError')), timeoutMs);
  let apart: NodeJS.Timeout | undefined;
  // A reused socket is already connected.
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    apart = setTimeout(() => end(new Error(`no connection within ${connectMaxMs} ms`)), connectMaxMs);
    socket.once('connect', () => clearTimeout(apart));
  });
  if (!outlivesRun && signal.aborted) onAbort();
  else if (!outlivesRun) signal.addEventListener('abort', onAbort);
  return () => {
    clearTimeout(late);
    clearTimeout(apart);
    signal.removeEventListener('abort', onAbort);
  };
}

function getAbortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

async function readAnswer({ status, headers, collected }: Reading): Promise<Answer> {
  const { bytes, exceeds } = await decodeBody(collected.bytes(), headers['content-encoding']);
  if (exceeds !== undefined) return exceedingAnswer({ limit: exceeds, status, headers, bytes });
  return { status, headers, body: utf8.decode(bytes) };
}

const utf8 = new TextDecoder();

/**
 * Returns headers sorted by name, with names in lower case. Values of one name are joined with commas; of several
 * `set-cookie` headers, the last one counts.
 */
function joinHeaders(raw: readonly string[]): Record<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const before = name === 'set-cookie' ? undefined : found.get(name);
    const value = raw[at + 1] ?? '';
    found.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

type CreateDecoder = (bytes: Buffer) => Transform;

// Decoders return the beginning of a truncated body, as browsers do.
const cutOff: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const cutOffBrotli: BrotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const decoders: Readonly<Record<string, CreateDecoder>> = {
  gzip: () => createGunzip(cutOff),
  'x-gzip': () => createGunzip(cutOff),
  // Servers send the zlib format and raw deflate under this name. The zlib format has 8 in the low half of its first
  // byte.
  deflate: (bytes) => (((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate(cutOff) : createInflateRaw(cutOff)),
  br: () => createBrotliDecompress(cutOffBrotli),
};

/** A body after removal of its content codings; only the beginning of the body if it exceeds a limit. */
interface Decoded {
  bytes: Buffer;
  exceeds?: AnswerLimit;
}

/**
 * Removes the codings that a `content-encoding` names, the last one first. A body with an unknown coding stays as it
 * is. Stops at the limits for the number of codings and for the size of a body. Rejects with the error of zlib for
 * invalid data.
 */
async function decodeBody(bytes: Buffer, contentEncoding: string | undefined): Promise<Decoded> {
  if (contentEncoding === undefined || bytes.length === 0) return { bytes };
  const names = contentEncoding.split(',').map((word) => word.trim().toLowerCase());
  if (names.length > suiteLimit('answerCodings')) return { bytes, exceeds: 'answerCodings' };
  let decoded: Decoded = { bytes };
  for (const name of names.toReversed()) {
    const create = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (create === undefined) return { bytes };
    decoded = await decodeWithin(create(decoded.bytes), decoded.bytes);
    if (decoded.exceeds !== undefined) return decoded;
  }
  return decoded;
}

function decodeWithin(decoder: Transform, bytes: Buffer): Promise<Decoded> {
  const { promise, resolve, reject } = Promise.withResolvers<Decoded>();
  const collected = new BoundedBytes(suiteLimit('answerBytes'));
  decoder.on('data', (part: Buffer) => {
    if (collected.add(part)) return;
    resolve({ bytes: collected.bytes(suiteLimit('answerExcerpt')), exceeds: 'answerBytes' });
    decoder.destroy();
  });
  decoder.once('end', () => resolve({ bytes: collected.bytes() }));
  decoder.once('error', reject);
  decoder.end(bytes);
  return promise;
}
