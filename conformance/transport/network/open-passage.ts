import { type Server, type Socket, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { suiteLimit } from '../../core/bounds.ts';
import { userAgent } from '../node-http.ts';
import type { Route } from './route.ts';

/** A websocket server on a loopback port that relays to a remote websocket. */
export interface LoopbackRelay {
  address: string;
  /** Closes the relay and every connection through it. */
  close(): Promise<void>;
}

/**
 * Opens a loopback relay to a remote websocket URL. Automation clients cannot use the run's proxy or certificate
 * authorities, but they can connect to loopback. The relay sends the real host, requests no compression, and adds the
 * suite's User-Agent if the client sends none. It limits the response head, each message, and the total size; a browser
 * that exceeds a limit is disconnected.
 */
export async function openLoopbackRelay(address: string, route: Route): Promise<LoopbackRelay> {
  const away = new URL(address);
  const sockets = new Set<Socket>();
  const closing = new AbortController();
  const server = createServer((local) => {
    keep(sockets, local);
    local.once('data', (head: Buffer) => {
      local.pause();
      route.open(away, closing.signal).then(
        (remote) => {
          keep(sockets, remote);
          remote.write(onwardHead(head, away.host));
          join(local, remote);
        },
        // The client then reports a refused connection, as it would without the relay.
        () => local.destroy(),
      );
    });
  });
  const port = await listen(server);
  const near = new URL(address);
  near.protocol = 'ws:';
  near.hostname = '127.0.0.1';
  near.port = String(port);
  return {
    address: near.href,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        closing.abort();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  // After an error, the `close` event follows and ends the other connection.
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
}

function join(local: Socket, remote: Socket): void {
  follow(local, remote);
  local.pipe(remote);
  follow(remote, local);
  const limit = new WebSocketLimit();
  const limited = new Transform({
    transform: (part: Buffer, _encoding, done) => {
      if (limit.admits(part)) return done(null, part);
      local.destroy();
      remote.destroy();
      return done();
    },
  });
  remote.pipe(limited).pipe(local);
}

// Data that was sent before an orderly end still arrives. If one connection drops, the other connection is dropped too.
function follow(from: Socket, to: Socket): void {
  if (from.destroyed) to.destroy();
  from.once('close', (failed) => (failed ? to.destroy() : to.end()));
}

/**
 * Checks the limits of the data that a server sends over one websocket: the response head, then frames. Reads no
 * payload.
 */
class WebSocketLimit {
  #all = 0;
  /** Received part of the response head; null as soon as the head is complete. */
  #head: Buffer | null = Buffer.alloc(0);
  /** Bytes of an incomplete frame header; at most 10. */
  #header = Buffer.alloc(0);
  /** Remaining bytes of the payload of the current frame. */
  #payload = 0;
  /** Bytes of the current message so far. */
  #message = 0;

  /**
   * Counts received bytes. Returns false when a limit is exceeded. Until a 101 response is complete, all bytes count as
   * response head.
   */
  admits(part: Buffer): boolean {
    this.#all += part.length;
    if (this.#all > suiteLimit('cdpAnswers')) return false;
    return this.#head === null ? this.#frames(part) : this.#handshake(Buffer.concat([this.#head, part]));
  }

  #handshake(head: Buffer): boolean {
    const end = head.indexOf('\r\n\r\n');
    this.#head = head;
    if (end < 0 || !/^HTTP\/1\.\d 101 /.test(head.toString('latin1', 0, 13)))
      return head.length <= suiteLimit('answerHeaders');
    this.#head = null;
    return end <= suiteLimit('answerHeaders') && this.#frames(head.subarray(end + 4));
  }

  #frames(part: Buffer): boolean {
    let rest = part;
    while (rest.length > 0) {
      const skipped = Math.min(this.#payload, rest.length);
      this.#payload -= skipped;
      rest = rest.subarray(skipped);
      if (rest.length === 0) return true;
      const header = Buffer.concat([this.#header, rest.subarray(0, headerMax - this.#header.length)]);
      const size = headerSize(header);
      if (size === undefined) {
        this.#header = header;
        return true;
      }
      rest = rest.subarray(size - this.#header.length);
      this.#header = Buffer.alloc(0);
      this.#payload = payloadSize(header);
      // Control frames, whose opcode is at least 8, may stand between the frames of a message.
      const opcode = (header[0] ?? 0) & 0x0f;
      if (opcode < 8) this.#message = (opcode === 0 ? this.#message : 0) + this.#payload;
      if (Math.max(this.#message, this.#payload) > suiteLimit('cdpAnswer')) return false;
    }
    return true;
  }
}

/** Maximum length of the header of a server's frame, which is never masked (RFC 6455, 5.2). */
const headerMax = 10;

/** Bytes of the header of a frame whose first length byte is one of these codes; the header of any other has 2. */
const headerSizes: ReadonlyMap<number, number> = new Map([
  [126, 4],
  [127, headerMax],
]);

/** Returns the size of a frame header in bytes; undefined while it is incomplete. */
function headerSize(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const length = (bytes[1] ?? 0) & 0x7f;
  const size = headerSizes.get(length) ?? 2;
  return bytes.length < size ? undefined : size;
}

function payloadSize(header: Buffer): number {
  const length = (header[1] ?? 0) & 0x7f;
  if (length === 126) return header.readUInt16BE(2);
  return length === 127 ? Number(header.readBigUInt64BE(2)) : length;
}

// A websocket client sends its whole request head at once, before any other data. Puppeteer and Playwright name
// themselves in the head, and a target may refuse one of these clients.
function onwardHead(head: Buffer, host: string): Buffer {
  const [request = '', ...lines] = head.toString('latin1').split('\r\n');
  const kept = lines.filter((line) => !/^(?:host|sec-websocket-extensions):/i.test(line));
  const named = kept.some((line) => /^user-agent:/i.test(line)) ? [] : [`User-Agent: ${userAgent}`];
  return Buffer.from([request, `Host: ${host}`, ...named, ...kept].join('\r\n'), 'latin1');
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('expected a port'));
      else resolve(address.port);
    });
  });
}
