import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as passTime } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { parseJson, type JsonValue, isJsonObject } from '../core/json.ts';
import { createServer } from '../transport/node-http.ts';
import { calledRequest } from './operations-called.ts';
import type { ClientExchange, ClientSocket } from './recording.ts';
import { relaySocket } from './relay-socket.ts';
import { type Coding, type Interference, jsonAnswer } from './interference.ts';
import { type Answer, type Upstream, bodyBytesMax, forward } from './forward.ts';

/** A proxy between a program and the service. The proxy records requests and injects faults. */
export interface RecordingProxy {
  /** Base URL for the program. */
  readonly address: string;
  readonly exchanges: readonly ClientExchange[];
  readonly sockets: readonly ClientSocket[];
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Options of {@link openProxy}. */
export interface ProxyOptions {
  readonly upstream: Upstream;
  readonly interference: Interference;
  /** Port of the first host. @defaultValue a free port */
  readonly port?: number;
  /** Called once for each request: after its answer was sent, or when the proxy has decided to send no answer. */
  readonly notice?: (exchange: ClientExchange) => void;
}

/** Shared state of a proxy. */
interface Proxy extends ProxyOptions {
  readonly exchanges: ClientExchange[];
  readonly sockets: ClientSocket[];
  readonly startedMs: number;
  readonly hosts: Record<ClientExchange['host'], string>;
}

/**
 * Opens a proxy with two loopback ports. One port stands for the service, the other for a second host to which
 * redirects and signed URLs lead.
 */
export async function openProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const hosts = { service: '', elsewhere: '' };
  const proxy: Proxy = { ...options, exchanges: [], sockets: [], startedMs: performance.now(), hosts };
  const service = createProxyServer(proxy, 'service');
  const elsewhere = createProxyServer(proxy, 'elsewhere');
  hosts.service = await listen(service, options.port ?? 0);
  hosts.elsewhere = await listen(elsewhere, 0);
  const close = async (): Promise<void> => {
    await Promise.all([end(service), end(elsewhere)]);
  };
  return { address: hosts.service, exchanges: proxy.exchanges, sockets: proxy.sockets, close };
}

function createProxyServer(proxy: Proxy, host: ClientExchange['host']): Server {
  const server = createServer((request, response) => {
    // The program has closed the connection, or its request body is too large.
    handle(proxy, host, { request, response }).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    const atMs = performance.now() - proxy.startedMs;
    relaySocket(
      { request, socket, head },
      { upstream: proxy.upstream, interference: proxy.interference, atMs },
      (one) => proxy.sockets.push(one),
    );
  });
  return server;
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function end(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** A request and its response stream. */
interface Way {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function handle(proxy: Proxy, host: ClientExchange['host'], { request, response }: Way): Promise<void> {
  const exchange = await record(proxy, host, request);
  response.on('close', () => {
    const isOurs = response.writableFinished || exchange.failure !== undefined || exchange.fault?.do === 'lose';
    if (!isOurs) exchange.abandonedMs = performance.now() - proxy.startedMs;
  });
  const answer = await answerTo(proxy, exchange);
  if (answer === 'hang' || answer === 'failed') {
    if (answer === 'failed') response.destroy();
    proxy.notice?.(exchange);
    return;
  }
  const edited = pointBack(edit(proxy, exchange, answer), {
    from: proxy.upstream.address,
    to: proxy.hosts,
    mark: proxy.interference.addressMark,
  });
  Object.assign(exchange, { status: edited.status, answerHeaders: edited.headers, answer: edited.body });
  await deliver({ proxy, exchange, response }, edited);
  proxy.notice?.(exchange);
}

async function record(proxy: Proxy, host: ClientExchange['host'], request: IncomingMessage): Promise<ClientExchange> {
  const { method = 'GET', url: target = '/' } = request;
  const atMs = performance.now() - proxy.startedMs;
  const called = calledRequest(method, target);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
  const plain = { atMs, host, method, target, headers, ...called, body: await readBody(request) };
  const index = proxy.exchanges.length;
  const fault = proxy.interference.strike(plain);
  const open = {
    endedMs: undefined,
    abandonedMs: undefined,
    failure: undefined,
    status: 0,
    answerHeaders: {},
    answer: Buffer.alloc(0),
  };
  const exchange: ClientExchange = { index, ...plain, fault, ...open };
  proxy.exchanges.push(exchange);
  return exchange;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > bodyBytesMax) throw new Error(`found a request of more than ${bodyBytesMax} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

async function answerTo(proxy: Proxy, exchange: ClientExchange): Promise<Answer | 'hang' | 'failed'> {
  const { interference, upstream, hosts } = proxy;
  const instead = await interference.instead(exchange, hosts);
  if (instead !== undefined) return instead;
  try {
    return await interference.whileAnswering(exchange, forward(upstream, interference.repaired(exchange)));
  } catch (error) {
    exchange.failure = error instanceof Error ? error.message : String(error);
    return 'failed';
  }
}

function edit({ interference }: Proxy, exchange: ClientExchange, answer: Answer): Answer {
  const json = (answer.headers['content-type'] ?? '').includes('json') ? parseJson(answer.body.toString()) : undefined;
  if (json === undefined) return answer;
  return jsonAnswer(answer, interference.edited(exchange, json));
}

interface Delivered {
  readonly proxy: Proxy;
  readonly exchange: ClientExchange;
  readonly response: ServerResponse;
}

const compress: Readonly<Record<Coding, (body: Buffer) => Buffer>> = {
  br: (body) => brotliCompressSync(body),
  deflate: (body) => deflateSync(body),
  gzip: (body) => gzipSync(body),
};

async function deliver({ proxy, exchange, response }: Delivered, { status, headers, body }: Answer): Promise<void> {
  const { delayMs, isLost, inPieces, coding } = proxy.interference.delivery(exchange);
  if (delayMs > 0) await passTime(delayMs);
  if (isLost) {
    exchange.status = 0;
    response.destroy();
    return;
  }
  const sent = coding === undefined ? body : compress[coding](body);
  const encoding = coding === undefined ? {} : { 'content-encoding': coding };
  const hasBody = status !== 204 && status !== 304;
  const length = hasBody && !inPieces ? { 'content-length': String(sent.length) } : {};
  response.writeHead(status, { ...headers, ...encoding, ...length });
  if (inPieces) await writePieces(response, sent);
  exchange.endedMs = performance.now() - proxy.startedMs;
  response.end(inPieces || !hasBody ? undefined : sent);
}

/**
 * Pause in ms after the first piece of a response, and after a piece that may end within a character. The pause is so
 * long that even on a busy machine the program reads this piece before the next one arrives.
 */
const readMs = 200;

async function writePieces(response: ServerResponse, body: Buffer): Promise<void> {
  for (const [at, piece] of pieces(body).entries()) {
    response.write(piece);
    await passTime(at === 0 || isCutCharacter(piece) ? readMs : 1);
  }
}

/** Returns true for a piece whose last byte is not ASCII, so that it may end within a character. */
function isCutCharacter(piece: Buffer): boolean {
  return ((piece.at(-1) ?? 0) & 0x80) !== 0;
}

const piecesMax = 12;

/** Cuts a body into pieces; one cut is inside its last multi-byte character. */
function pieces(body: Buffer): Buffer[] {
  const inside = body.findLastIndex((byte) => (byte & 0xc0) === 0x80);
  const size = Math.ceil(body.length / piecesMax);
  const cuts = new Set(Array.from({ length: piecesMax }, (_, at) => Math.min(at * size, body.length)));
  if (inside > 0) cuts.add(inside);
  const sorted = [...cuts, body.length].toSorted((left, right) => left - right);
  return sorted.slice(1).flatMap((to, at) => (to > (sorted[at] ?? 0) ? [body.subarray(sorted[at], to)] : []));
}

/**
 * Names of members with signed URLs. The proxy replaces these URLs with URLs of its second host, because the file store
 * is another host than the service.
 */
const signed = new Set(['uploadUrl', 'downloadUrl', 'url', 'screenshotUrl', 'recordingUrl', 'recordingUrls']);

/** Base URLs to replace in answers, and their replacements. */
interface Pointing {
  readonly from: string;
  readonly to: Readonly<Record<ClientExchange['host'], string>>;
  /** Text that is appended to the query of every signed URL. */
  readonly mark: string;
}

/** Replaces the URLs of the service in a JSON answer with URLs of the proxy. Returns any other answer unchanged. */
function pointBack(answer: Answer, pointing: Pointing): Answer {
  const json = (answer.headers['content-type'] ?? '').includes('json') ? parseJson(answer.body.toString()) : undefined;
  if (json === undefined || !answer.body.includes(new URL(pointing.from).host)) return answer;
  return jsonAnswer(answer, pointed(json, '', pointing));
}

function pointed(value: JsonValue, name: string, pointing: Pointing): JsonValue {
  if (typeof value === 'string') return pointedText(value, name, pointing);
  if (Array.isArray(value)) return value.map((item) => pointed(item, name, pointing));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, pointed(member, key, pointing)]));
}

function pointedText(text: string, name: string, { from, to, mark }: Pointing): string {
  const { host, protocol } = new URL(from);
  const socket = protocol === 'https:' ? 'wss:' : 'ws:';
  if (text.startsWith(`${socket}//${host}/`))
    return text.replace(`${socket}//${host}`, to.service.replace('http', 'ws'));
  if (!text.startsWith(`${from}/`)) return text;
  if (!signed.has(name)) return text.replace(from, to.service);
  return `${text.replace(from, to.elsewhere)}${text.includes('?') ? mark : mark.replace('&', '?')}`;
}
