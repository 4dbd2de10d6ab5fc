import { once } from 'node:events';
import { type Socket, createServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/**
 * Hostile text: it contains characters that no output may contain, and has effects in terminals, build servers,
 * Markdown and HTML.
 */
const hostileText =
  'evil\u001B[2J\u001B]52;c;aGFjaw==\u0007\u009B31m\u202Eesrever\u2066\u200B\u2028\u2029\u0000\u007F\r' +
  '\n::error file=x::injected%0A::warning::y\n##vso[task.setvariable]z\n' +
  '</script><img src=x onerror=alert(1)>```` | `code` | [link](http://evil.example) ]]> & "\' \uD800 \u{E0041}';

/** Writes the response to one request. */
type Attack = (socket: Socket) => void;

const id = `5b7e9c40-1d2f-4a3b-9c8d-0e1f2a3b4c5d${hostileText}`;
const texts = ['title', 'liveUrl', 'cdpUrl', 'model', 'status', 'output', 'eventsUrl', 'createdAt', 'error', 'result'];
const record = { id, sessionId: id, ...Object.fromEntries(texts.map((name) => [name, hostileText])) };
const page = { [hostileText]: hostileText, sessions: [record], items: [record], events: [record], nextCursor: id };

/** Returns a complete response; status text and a header contain hostile text as far as HTTP allows. */
function whole(status: number, body: string | Buffer, more = ''): Buffer {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const head = `HTTP/1.1 ${status} evil \u009B31m\r\nx-evil: \u009B31m ::error::x\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  return Buffer.concat([Buffer.from(`${head}${more}${length}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

const begun = 'HTTP/1.1 200 OK\r\nconnection: close\r\n';

/** Writes a text again and again, as fast as the reader reads, until the reader disconnects. */
function endless(socket: Socket, part: string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', write);
  write();
}

const zeros = Buffer.alloc(32 * 1_048_576);
const bombs = { gzip: gzipSync(zeros), nested: gzipSync(gzipSync(zeros)), br: brotliCompressSync(zeros) };

/**
 * Responses of attacks. Every second response of the server is complete, so that the suite continues and receives each
 * attack.
 */
const attacks: readonly Attack[] = [
  (socket) =>
    socket.end(whole(422, JSON.stringify({ detail: [{ loc: ['body', id], msg: hostileText, type: hostileText }] }))),
  (socket) => socket.end(whole(200, JSON.stringify({ ...record, ...page }))),
  (socket) => {
    socket.write(`${begun}\r\n`);
    endless(socket, '{"a":"'.padEnd(65_536, 'x'));
  },
  (socket) => socket.end(whole(200, bombs.gzip, 'content-encoding: gzip\r\n')),
  (socket) => socket.end(whole(200, bombs.nested, 'content-encoding: gzip, gzip\r\n')),
  (socket) => socket.end(whole(200, bombs.br, 'content-encoding: br\r\n')),
  (socket) => socket.end(whole(200, '['.repeat(1_000_000) + ']'.repeat(1_000_000))),
  (socket) => socket.end(whole(200, '{"a":'.repeat(1_000_000))),
  (socket) => socket.end(whole(200, `[${'{},'.repeat(1_000_000)}{}]`)),
  (socket) => socket.end(whole(200, `{${Array.from({ length: 300_000 }, (_, at) => `"m${at}":${at}`).join(',')}}`)),
  (socket) =>
    socket.end(
      whole(
        200,
        '{"id":"a","id":"b","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"n":1e999,"m":-9007199254740993,"toString":1}',
      ),
    ),
  (socket) => socket.end(whole(200, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]))),
  (socket) => {
    socket.write(`${begun}content-length: 1000\r\n\r\n`);
    const timer = setInterval(() => socket.write('{'), 100);
    socket.once('close', () => clearInterval(timer));
  },
  (socket) => socket.end(`${begun}content-length: 1000\r\n\r\n{"id"`),
  (socket) =>
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}garbage\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1`,
    ),
  (socket) => {
    socket.write(begun);
    endless(socket, `x-more: ${'x'.repeat(1000)}\r\n`);
  },
  (socket) => endless(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nlocation: /\u001B[2J\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  (socket) => socket.end(whole(302, '', 'location: /api/v3/sessions\r\n')),
];

/** Indexes of the attacks whose response is a success with an id, or looks like one. */
const successes: readonly number[] = [1, 10, 11, 14];

/** A running hostile server. */
export interface HostileServer {
  url: string;
  /** The `User-Agent` headers of all requests. */
  agents: ReadonlySet<string>;
  close(): void;
}

/**
 * Starts a server on a free loopback port. It answers with the next attack and with a complete hostile response in
 * turn.
 */
export async function startHostileServer(): Promise<HostileServer> {
  const agents = new Set<string>();
  let count = 0;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    let sent = '';
    socket.on('data', (bytes) => {
      sent += bytes.toString('latin1');
      const [head = '', body] = sent.split('\r\n\r\n');
      if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return;
      sent = '';
      agents.add(/^user-agent: (.*)$/im.exec(head)?.[1] ?? 'none');
      const at = count % 2 === 0 ? (count / 2) % 2 : 2 + (((count - 1) / 2) % (attacks.length - 2));
      count += 1;
      // Creations get an error response, because the clean-up of created resources would take minutes.
      const creates = !head.startsWith('GET ') && successes.includes(at);
      attacks[creates ? 0 : at]?.(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, agents, close: () => server.close() };
}
