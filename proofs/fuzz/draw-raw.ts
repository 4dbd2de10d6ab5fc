import type { Draw } from '../draw.ts';
import { drawCall } from './draw-call.ts';
import { type CallRequest, type RawRequest, placeholder } from './fuzzed-request.ts';
import { utf8 } from './odd-bodies.ts';
import { oddText } from './odd-texts.ts';

const lineEnd = '\r\n';

/** Generates raw bytes for a connection: pipelined requests, malformed requests, and websocket upgrades. */
export function drawRaw(draw: Draw): RawRequest {
  const ways: readonly ((draw: Draw) => RawRequest)[] = [pipelined, broken, broken, broken, broken, upgraded, noise];
  return draw.of(ways)(draw);
}

/** Creates one to eight pipelined requests. The service must send one response to each. */
function pipelined(draw: Draw): RawRequest {
  const calls = draw.list([1, 8], () => simpleCall(draw));
  const bytes = calls.map((call, at) => getText(call, at === calls.length - 1)).join('');
  return { kind: 'raw', pieces: cut(draw, bytes), answers: calls.length };
}

/** Creates a well-formed request. Its body may be missing, or may look like another request. */
function simpleCall(draw: Draw): CallRequest {
  const inner = `POST /api/v4/runs HTTP/1.1${lineEnd}Host: a${lineEnd}Content-Length: 0${lineEnd}${lineEnd}`;
  const body = draw.of([null, '{}', inner, '0\r\n\r\n', '{"task":']);
  const path = draw.of(['/api/v4/runs', '/api/v3/sessions', '/api/v2/tasks', '/api/v4/none', '/healthz', '/files/x']);
  const headers: CallRequest['headers'] = [['x-service-api-key', draw.of(['@{key:0}', 'svc_wrong'])]];
  return { kind: 'call', operation: null, method: body === null ? 'GET' : 'DELETE', path, headers, body, hasKey: true };
}

/** Serialises a request with correct framing. */
function getText({ method, path, headers, body }: CallRequest, isLast: boolean): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== null) lines.push(`Content-Length: ${body.length}`);
  if (isLast) lines.push('Connection: close');
  return [...lines, '', body ?? ''].join(lineEnd);
}

/** Creates a request whose start line, headers or framing may violate HTTP/1.1. */
function broken(draw: Draw): RawRequest {
  const call = drawCall(draw);
  const body = (call.body ?? '').slice(0, 5000);
  const headers = [
    ...draw.of(hosts),
    ...call.headers.map(([name, value]) => `${name}: ${value}`),
    ...draw.of(framings)(body),
  ];
  if (draw.chance(0.4)) headers.splice(draw.below(headers.length + 1), 0, draw.of(oddLines)(draw));
  const head = [draw.of(startLines)(draw, call), ...headers].join(
    draw.chance(0.95) ? lineEnd : draw.of(['\n', '\r', '\n\r']),
  );
  const bytes = `${head}${lineEnd}${lineEnd}${draw.chance(0.15) ? chunks(draw, body) : body}`;
  return { kind: 'raw', pieces: cut(draw, draw.chance(0.4) ? damage(draw, bytes) : bytes), answers: null };
}

const hosts = [
  ['Host: localhost'],
  ['Host: localhost'],
  ['Host: localhost'],
  [],
  ['Host: a', 'Host: b'],
  ['Host:'],
  ['Host: evil.example/'],
];

const startLines: readonly ((draw: Draw, call: CallRequest) => string)[] = [
  (_draw, { method, path }) => `${method} ${path} HTTP/1.1`,
  (_draw, { method, path }) => `${method} ${path} HTTP/1.1`,
  (_draw, { method, path }) => `${method} ${path} HTTP/1.1`,
  (draw, { method, path }) =>
    `${method} ${path} ${draw.of(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', 'HTTP/1.1 x', 'HTTP/1.', ''])}`,
  (draw, { path }) =>
    `${draw.of(['get', 'G\u0000T', 'GET POST', 'CONNECT', 'PRI', 'M-SEARCH', 'X'.repeat(300), '', ' GET'])} ${path} HTTP/1.1`,
  (draw, { method }) =>
    `${method} ${draw.of(['', '*', 'localhost:1', 'http://evil.example/api/v4/runs', '/\x00', '/\xff\xfe', '/ /', '//', `/${'a'.repeat(20_000)}`, '/?'.repeat(50)])} HTTP/1.1`,
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n',
];

const framings: readonly ((body: string) => string[])[] = [
  (body) => [`Content-Length: ${body.length}`],
  (body) => [`Content-Length: ${body.length}`],
  (body) => [`Content-Length: ${body.length}`, 'Connection: close'],
  () => [],
  (body) => [`Content-Length: ${body.length + 10}`],
  (body) => [`Content-Length: ${Math.max(0, body.length - 3)}`],
  () => ['Content-Length: -1'],
  () => ['Content-Length: 99999999999999999999'],
  () => ['Content-Length: 0x10'],
  (body) => [`Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`],
  (body) => [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
  () => ['Transfer-Encoding: chunked'],
  () => ['Transfer-Encoding: chunked', 'Trailer: x-service-api-key'],
  () => ['Transfer-Encoding: gzip, chunked'],
  () => ['Transfer-Encoding: chunked, identity'],
  () => ['Transfer-Encoding : chunked'],
  () => ['Transfer-Encoding: xchunked'],
  (body) => ['Expect: 100-continue', `Content-Length: ${body.length}`],
  () => ['Expect: 200-ok'],
];

const oddLines: readonly ((draw: Draw) => string)[] = [
  () => 'no colon',
  () => ': no name',
  () => 'a b: c',
  () => ' folded: x',
  () => 'x: a\r\n b',
  () => 'x\x00y: z',
  () => 'x: \x00',
  () => 'x: a\rb',
  () => `x: ${'a'.repeat(20_000)}`,
  (draw) => Array.from({ length: draw.of([50, 1500]) }, (_, at) => `x${at}: ${at}`).join(lineEnd),
  () => 'Connection: upgrade, http2-settings',
  () => 'Upgrade: h2c',
  () => 'Connection: Upgrade\r\nUpgrade: websocket',
  () => 'X-Request-Id: a\r\nX-Request-Id: b',
  () => 'X-Service-API-Key: svc_wrong',
  () => '\xff: \xff',
];

function chunks(draw: Draw, body: string): string {
  const sizes = [
    body.length.toString(16),
    'ffffffffffffffff',
    '-1',
    'g',
    '',
    '5;a=b',
    '0',
    `${body.length.toString(16)};${'x'.repeat(20_000)}`,
  ];
  const end = draw.of(['0\r\n\r\n', '0\r\nx: y\r\n\r\n', '', '0\r\n', '0\n\n', '0\r\n\r\n0\r\n\r\n']);
  return `${draw.of(sizes)}${lineEnd}${body}${draw.of([lineEnd, '', '\n'])}${end}`;
}

/** Creates a websocket upgrade at a DevTools or live view URL, or at another path, followed by websocket frames. */
function upgraded(draw: Draw): RawRequest {
  const token = draw.chance(0.7)
    ? placeholder(draw.of(['cdp', 'live', 'view']), draw.below(64))
    : draw.of(['/devtools/browser/x', '/live/x/socket', '/api/v4/runs', '/']);
  const lines = [
    `${draw.chance(0.95) ? 'GET' : draw.of(['POST', 'DELETE'])} ${token} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Version: ${draw.chance(0.9) ? '13' : draw.of(['8', '0', 'x', ''])}`,
    `Sec-WebSocket-Key: ${draw.chance(0.9) ? 'dGhlIHNhbXBsZSBub25jZQ==' : draw.of(['', 'short', 'x'.repeat(500)])}`,
    ...(draw.chance(0.2) ? ['Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99'] : []),
    ...(draw.chance(0.1) ? ['Sec-WebSocket-Protocol: a, ,b'] : []),
    ...(draw.chance(0.1) ? ['Origin: https://evil.example'] : []),
  ];
  const bytes = `${lines.join(lineEnd)}${lineEnd}${lineEnd}${websocketFrames(draw)}`;
  return { kind: 'raw', pieces: cut(draw, draw.chance(0.1) ? damage(draw, bytes) : bytes), answers: null };
}

/** Creates fixed or random bytes without a complete HTTP request. */
function noise(draw: Draw): RawRequest {
  const ways: readonly (() => string)[] = [
    () => '',
    () => '\r\n\r\n\r\n',
    () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    () => String.fromCharCode(...draw.list([1, 300], () => draw.below(256))),
    () => 'GET',
    () => 'GET / HTTP/1.1\r\nHost: a\r\n',
    () => '\x00'.repeat(20_000),
  ];
  return { kind: 'raw', pieces: cut(draw, draw.of(ways)()), answers: null };
}

/** Inserts, replaces or removes bytes at one to four places in the first 400 bytes, and sometimes cuts off the end. */
function damage(draw: Draw, bytes: string): string {
  let damaged = bytes;
  for (let times = draw.between(1, 4); times > 0; times -= 1) {
    const at = draw.below(Math.min(damaged.length, 400) + 1);
    const put = draw.of(['', '\r', '\n', '\x00', ' ', ':', '\xff', String.fromCharCode(draw.below(256))]);
    damaged = damaged.slice(0, at) + put + damaged.slice(at + draw.below(3));
  }
  return draw.chance(0.2) ? damaged.slice(0, draw.below(damaged.length + 1)) : damaged;
}

/** Splits bytes into one to three pieces. */
function cut(draw: Draw, bytes: string): string[] {
  const first = draw.below(bytes.length + 1);
  const second = draw.between(first, bytes.length);
  return draw.of([
    [bytes],
    [bytes],
    [bytes.slice(0, first), bytes.slice(first)],
    [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)],
  ]);
}

const opcodes = [0, 1, 1, 1, 1, 2, 8, 9, 10, 3, 7, 11, 15] as const;

/** Valid and invalid messages for DevTools or live view connections. */
const messages: readonly ((draw: Draw) => string)[] = [
  () => '{"id":1,"method":"Browser.getVersion"}',
  () => '{"id":2,"method":"Target.getTargets"}',
  () => '{"id":3,"method":"Target.createTarget","params":{"url":"about:blank"}}',
  () => '{"id":4,"method":"Target.attachToTarget","params":{"targetId":"x","flatten":true}}',
  () => '{"id":5,"method":"Browser.close"}',
  () => '{"id":6,"method":"Page.navigate","params":{"url":"file:///etc/passwd"}}',
  () => '{"id":-1,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"none"}',
  (draw) => `{"id":${draw.of(['1e999', '"x"', 'null', '9007199254740993', '[]'])},"method":"Target.getTargets"}`,
  (draw) => JSON.stringify({ id: draw.below(1000), method: oddText(draw), params: { [oddText(draw)]: oddText(draw) } }),
  () => '{"type":"mouse","action":"down","button":"left","buttons":1,"clicks":1,"x":1,"y":1,"modifiers":0}',
  (draw) =>
    JSON.stringify({
      type: draw.of(kinds),
      action: 'down',
      x: draw.of([1, 1e308, null, 'x']),
      y: -1,
      text: oddText(draw),
      url: oddText(draw),
    }),
  (draw) => '['.repeat(draw.of([1, 199, 201, 5000])),
  (draw) => 'x'.repeat(draw.of([0, 125, 126, 65_535, 65_536])),
  () => '\xff\xfe\xc3\x28',
];

/** Message types of live view clients, and an unknown type. */
const kinds = [
  'mouse',
  'wheel',
  'key',
  'text',
  'touch',
  'tab',
  'open',
  'close',
  'resize',
  'copy',
  'dialog',
  'shown',
  'x',
] as const;

/** Creates valid and invalid websocket frames, to be sent after a handshake. */
function websocketFrames(draw: Draw): string {
  return draw.list([1, 6], () => frame(draw)).join('');
}

function frame(draw: Draw): string {
  const payload = utf8(draw.of(messages)(draw).toWellFormed());
  const opcode = draw.of(opcodes);
  const first = (draw.chance(0.85) ? 0x80 : 0) | (draw.chance(0.04) ? draw.of([0x10, 0x20, 0x40, 0x70]) : 0) | opcode;
  const isMasked = draw.chance(0.93);
  const said = draw.chance(0.05) ? draw.of([0, 2 ** 31, 2 ** 53, 1]) : payload.length;
  const head = Buffer.from([first, ...getLength(said, isMasked ? 0x80 : 0)]).toString('latin1');
  // A mask of zeros leaves the payload readable.
  return head + (isMasked ? '\x00\x00\x00\x00' : '') + payload;
}

function getLength(length: number, flag: number): number[] {
  if (length < 126) return [flag | length];
  if (length < 65_536) return [flag | 126, length >> 8, length & 0xff];
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return [flag | 127, ...bytes];
}
