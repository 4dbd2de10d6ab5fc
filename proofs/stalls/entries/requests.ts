import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { allOperations, type Operation } from '#conformance/core/operations.ts';
import type { Draw } from '../../draw.ts';
import type { EntryPoint, WatchedService } from '../watched-service.ts';
import { worstBytes, worstJsonText } from '../worst-json.ts';
import { worstText } from '../worst-texts.ts';
import { type Call, openCalls } from './calls.ts';

/** Maximum number of bytes of a generated body. It exceeds the limit of the service for a body. */
const bodyMost = 1_060_000;
/** Maximum length of a generated path, close to the limit of Node.js for request line and headers. */
const headMost = 16_000;
const someId = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';

/**
 * Entry points for HTTP itself: JSON bodies, query strings, paths, headers, static pages, the console, signed URLs, the
 * control and metrics URLs, slow senders and malformed HTTP.
 */
export const requests: readonly EntryPoint[] = [
  callEntry('JSON bodies', (draw) => {
    const operation = draw.of(withBodies);
    return { method: operation.method, path: getPath(operation), body: getBody(draw) };
  }),
  callEntry('query strings', (draw) => {
    const operation = draw.of(reads);
    return { method: 'GET', path: `${getPath(operation)}?${getQuery(draw, operation)}` };
  }),
  callEntry('path ids', (draw) => {
    const operation = draw.of(allOperations.filter(({ path }) => path.includes('{')));
    const step = safe(worstText(draw, draw.of([100, 1000, headMost])), headMost);
    return { method: operation.method, path: getPath(operation, step).slice(0, headMost), body: '{}' };
  }),
  callEntry('headers and cookies', (draw) => ({
    method: 'GET',
    path: draw.of(['/api/v4/runs', '/', '/console/api/login', '/api/v2/sessions', '/docs', `/files/${someId}`]),
    headers: getHeaders(draw),
  })),
  callEntry('static pages and documents', (draw) => ({
    method: draw.of(['GET', 'GET', 'HEAD', 'POST']),
    path: (
      draw.of(pages) +
      draw.of([() => '', () => `?${safe(worstText(draw, 10_000), 15_000)}`, () => `/${'a/'.repeat(4000)}`])()
    ).slice(0, headMost),
    headers: draw.chance(0.3) ? { range: `bytes=${'0-1,'.repeat(3000)}`, accept: `${'*/*;q=0.1,'.repeat(300)}x` } : {},
  })),
  {
    name: 'console API',
    async open(service) {
      const send = openCalls(service);
      const login = await logIn(service);
      return async (draw) => String((await send(consoleCall(draw, login))).status);
    },
  },
  callEntry('signed addresses', (draw) => ({
    method: draw.of(['GET', 'PUT', 'POST']),
    path: `${draw.of(signed)}${draw.of([someId, safe(worstText(draw, 3000), 6000)])}?${safe(worstText(draw, 3000), 6000)}&signature=${'a'.repeat(draw.of([64, 3000]))}&expires=${'9'.repeat(draw.of([10, 3000]))}`.slice(
      0,
      headMost,
    ),
    body: worstText(draw, 50_000),
    headers: { 'content-type': draw.of(['application/octet-stream', 'multipart/form-data; boundary=a', 'text/plain']) },
  })),
  callEntry(
    'control address',
    (draw) => {
      const path = draw.of([
        '/clock',
        '/faults',
        '/requests',
        '/state',
        '/reset',
        `/${safe(worstText(draw, 5000), 9000)}`,
      ]);
      const isRead = path === '/requests' || path === '/state';
      return { method: isRead ? 'GET' : 'POST', path, ...(isRead ? {} : { body: getBody(draw) }) };
    },
    ({ control }) => control,
  ),
  callEntry(
    'metrics address',
    (draw) => ({ method: 'GET', path: `/metrics?${safe(worstText(draw, 5000), 9000)}` }),
    ({ metrics }) => metrics,
  ),
  { name: 'slow senders', open: async (service) => (draw) => sendSlowly(service, draw) },
  { name: 'pipelines and bad HTTP', open: async (service) => (draw) => sendBytes(service, draw) },
];

const withBodies = allOperations.filter(({ method }) => ['POST', 'PATCH', 'PUT'].includes(method));
const reads = allOperations.filter(({ method }) => method === 'GET');

const pages = [
  '/',
  '/docs',
  '/openapi/v2.json',
  '/openapi/v3.json',
  '/openapi/v4.json',
  '/healthz',
  '/readyz',
  '/favicon.ico',
  '/share/a',
  '/live/a',
  '/console',
  '/console/app.js',
  '/devtools/browser/a/json/version',
  '/devtools/browser/a/json/list',
];

const signed = [
  '/files/',
  '/uploads/',
  '/upload-forms',
  '/screenshots/',
  '/downloads/',
  '/recordings/',
  '/task-logs/',
  '/share/',
  '/live/',
];

const consoleCalls = [
  ['POST', '/login'],
  ['POST', '/login'],
  ['GET', '/login'],
  ['PATCH', '/project'],
  ['POST', '/keys'],
  ['PUT', '/provider-keys/openai'],
  ['POST', '/examination'],
  ['GET', '/costs?days=9999999999999999999999'],
] as const;

type Headers = Readonly<Record<string, string>>;

/**
 * Logs in to the console with a key. Returns the headers that the console page sends with each request. Throws if the
 * login fails.
 */
async function logIn({ address, key }: WatchedService): Promise<Headers> {
  const response = await fetch(`${address}/console/api/login`, {
    method: 'POST',
    headers: { origin: address, 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  if (!response.ok) throw new Error(`the login was answered with ${response.status}`);
  const { csrf }: { readonly csrf: string } = JSON.parse(await response.text());
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split('; ');
  return { cookie, 'x-service-console': csrf, origin: address };
}

/** Creates a console request, with or without a login. */
function consoleCall(draw: Draw, login: Headers): Call {
  const [method, path] = draw.of(consoleCalls);
  const foreign = {
    'x-service-console': worstText(draw, 1000).replaceAll(/[^\x21-\x7e]/g, 'a'),
    cookie: getCookie(draw),
  };
  const text = draw.of([
    () => JSON.stringify({ key: worstText(draw, 500_000) }),
    () => JSON.stringify({ name: worstText(draw, 500_000) }),
    () => getBody(draw),
  ])();
  const body = method === 'GET' ? {} : { body: text };
  // With a login, an examination would start a run of the suite against the service.
  const isLoggedIn = path !== '/examination' && draw.chance(0.8);
  return { method, path: `/console/api${path}`, headers: isLoggedIn ? login : foreign, ...body };
}

function callEntry(
  name: string,
  call: (draw: Draw) => Call,
  getAddress: (service: WatchedService) => string = ({ address }) => address,
): EntryPoint {
  return {
    name,
    async open(service) {
      const send = openCalls(service, getAddress(service));
      return async (draw) => String((await send(call(draw))).status);
    },
  };
}

function getPath({ generation, path }: Operation, step: string = someId): string {
  return `/api/${generation}${path.replaceAll(/\{\w+\}/g, () => step)}`;
}

/** Returns a JSON text, sometimes followed by bytes that are invalid UTF-8, or encoded as UTF-16. */
function getBody(draw: Draw): string | Uint8Array {
  const text = worstJsonText(draw, worstBytes(draw, bodyMost));
  const whole = draw.chance(0.4) ? `{"task":${text},"name":${text.length < 1000 ? text : '1'}}` : text;
  const bytes = Buffer.from(whole).subarray(0, bodyMost);
  if (!draw.chance(0.2)) return whole.slice(0, bodyMost);
  if (draw.chance(0.5)) return Buffer.concat([bytes, Buffer.from([0xff, 0xc0, 0xaf])]);
  return Buffer.from(whole.slice(0, bodyMost / 2), 'utf16le');
}

function getQuery(draw: Draw, { queryParameters }: Operation): string {
  const names = [...queryParameters, 'limit', 'pageSize', 'cursor', 'filterBy', '__proto__', 'a'];
  const value = safe(worstText(draw, draw.of([10, 1000, 10_000])), 12_000);
  const ways: readonly (() => string)[] = [
    () => `${draw.of(names)}=${value}`,
    () => `${draw.of(names)}=1&`.repeat(1500),
    () => Array.from({ length: 1500 }, (_one, at) => `a${at}=`).join('&'),
    () => '&'.repeat(15_000),
    () => '%'.repeat(15_000),
    () => '%41'.repeat(5000),
    () => '+='.repeat(7000),
    () => `${draw.of(names)}[${']['.repeat(2000)}]=1`,
  ];
  return draw.of(ways)().slice(0, 15_500);
}

function getHeaders(draw: Draw): Record<string, string> {
  const text = worstText(draw, draw.of([100, 4000, 12_000])).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, 'a');
  const name = draw.of([
    'cookie',
    'x-service-api-key',
    'authorization',
    'content-type',
    'accept',
    'range',
    'if-none-match',
    'x-request-id',
    'traceparent',
    'forwarded',
    'x-forwarded-for',
    'origin',
    'user-agent',
    'accept-language',
    'x-v4-queue-deduplicate',
  ]);
  if (draw.chance(0.3)) return { cookie: getCookie(draw) };
  if (draw.chance(0.2)) return Object.fromEntries(Array.from({ length: 900 }, (_one, at) => [`x-${at}`, 'a']));
  return { [name]: text };
}

function getCookie(draw: Draw): string {
  const unit = draw.of(['a=b; ', 'svc_console=a; ', '=; ', ';', '; ', 'a', ' ', '"', '%', 'a=']);
  return unit.repeat(Math.floor(12_000 / unit.length));
}

/** Percent-encodes a text for a request line and cuts it to `most` characters. */
function safe(text: string, most: number): string {
  return encodeURIComponent(text.toWellFormed().slice(0, most)).slice(0, most).replace(/%.?$/, '');
}

/**
 * Sends a body in one write per byte, usually with one HTTP chunk per byte, so that the service receives many small
 * pieces. Returns the status, or `closed` without a response.
 */
async function sendSlowly({ address, key }: WatchedService, draw: Draw): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const ended = new Promise<string>((resolve) => {
    let answer = '';
    socket.on('data', (data: Buffer) => void (answer += data.toString('latin1').slice(0, 100)));
    socket.on('close', () => resolve(answer.slice(9, 12) || 'closed'));
    socket.on('error', () => undefined);
  });
  const isChunked = draw.chance(0.7);
  const body = `{"task":"${worstText(draw, 3000).replaceAll(/[^ -!#-Z^-~]/g, 'a')}"}`;
  socket.write(
    `POST /api/v4/workspaces HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Service-Api-Key: ${key}\r\nContent-Type: application/json\r\n`,
  );
  socket.write(isChunked ? 'Transfer-Encoding: chunked\r\n\r\n' : `Content-Length: ${body.length}\r\n\r\n`);
  const extension = draw.chance(0.3) ? `;${'a'.repeat(1000)}` : '';
  for (const [at, one] of body.split('').entries()) {
    socket.write(isChunked ? `1${extension}\r\n${one}\r\n` : one);
    if (at % 100 === 0) await delay(2);
  }
  if (isChunked) socket.write(draw.chance(0.5) ? '0\r\n\r\n' : `0\r\n${'a: b\r\n'.repeat(2000)}\r\n`);
  const timer = setTimeout(() => socket.destroy(), 5000);
  const answer = await ended;
  clearTimeout(timer);
  return answer;
}

/** Sends pipelined, malformed or oversized HTTP. Waits for the end of the connection, at most 2 s. */
async function sendBytes({ address, key }: WatchedService, draw: Draw): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const line = `GET /api/v4/runs HTTP/1.1\r\nHost: a\r\nX-Service-Api-Key: ${key}\r\n\r\n`;
  const bytes = draw.of<() => string>([
    () => line.repeat(1000),
    () => `GET /api/v4/runs HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2000),
    () => `${line.slice(0, -2)}${'a: b\r\n'.repeat(50_000)}\r\n`,
    () => `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n\r\n`,
    () => worstText(draw, 200_000),
    () => '\r\n'.repeat(200_000),
    () => `POST /upload-forms HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'f'.repeat(100_000)}`,
    () =>
      `GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Extensions: ${'a; b, '.repeat(2000)}\r\nSec-WebSocket-Key: a\r\n\r\n`,
  ])();
  const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.resume();
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), 2000);
  await ended;
  clearTimeout(timer);
  return 'closed';
}
