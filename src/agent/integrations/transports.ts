import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTick, setTimeout as waitFor } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { hasCode } from '#lib/system-errors.ts';

/** A server process to start. */
export interface ChildSettings {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string | null;
  /** Maximum number of bytes that the server may send after each request of the client. */
  readonly answerBytes: number;
}

const lineEnd = 0x0a;
/** Maximum number of lines that a server process may send after each request, and of an event stream. */
const linesMax = 10_000;
/** Number of lines that are handled in one tick of the event loop; a line that is no message takes up to 0.1 ms. */
const linesPerTick = 100;
/** Number of requests of a server that are answered after each request of the client; the others get no reply. */
const repliesMax = 100;

/** Counts the replies of the client to requests of a server, such as pings. */
class ReplyLimit {
  #replies = 0;

  /** Returns whether a message of the client may be sent: each request and notification, and `repliesMax` replies. */
  admits(message: JSONRPCMessage): boolean {
    if (isRequest(message)) this.#replies = 0;
    if ('method' in message) return true;
    this.#replies += 1;
    return this.#replies <= repliesMax;
  }
}

function isRequest(message: JSONRPCMessage): boolean {
  return 'method' in message && 'id' in message;
}

/** The HTTP transport of the SDK, which does not send more than `repliesMax` replies for each request of the client. */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #replies = new ReplyLimit();

  override async send(...[message, options]: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
    const messages = [message].flat();
    if (messages.every((one) => this.#replies.admits(one))) await super.send(message, options);
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Number of last characters of the standard error that are kept. */
export const saidMax = 2_000;
/** Time that a process gets to end after its input was closed, and again after SIGTERM, in milliseconds. */
const graceMs = 1_000;

/**
 * An MCP transport over the standard input and output of a child process. Unlike the transport of the SDK, it passes
 * only the given environment variables, and limits all bytes and lines that arrive after a request of the client; the
 * SDK limits only the bytes that it has not read yet. It also ends the processes that the server has started, if they
 * are in the server's process group.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #settings: ChildSettings;
  #child: Child | null = null;
  #unread: Buffer[] = [];
  #receivedBytes = 0;
  #receivedLines = 0;
  readonly #replies = new ReplyLimit();
  #said = '';
  #closed: Promise<void> | null = null;

  constructor(settings: ChildSettings) {
    this.#settings = settings;
  }

  /** The end of what the process has written to its standard error. It may contain secrets. */
  get said(): string {
    return this.#said;
  }

  /** Id of the process; null before the start. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, env, folder } = this.#settings;
    // The process leads a group of its own, which is ended as a whole.
    const child = spawn(command, args, {
      env,
      ...(folder === null ? {} : { cwd: folder }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-saidMax);
    });
    child.on('close', () => this.onclose?.());
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
    void this.#readAll(child.stdout);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === null || !child.stdin.writable) throw new Error('The process has ended.');
    if (!this.#replies.admits(message)) return;
    if (isRequest(message)) [this.#receivedBytes, this.#receivedLines] = [0, 0];
    if (!child.stdin.write(serializeMessage(message))) await once(child.stdin, 'drain');
  }

  /** Ends the process and every process of its group. Resolves when the process has ended. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const ended = child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, 'exit');
    child.stdin.end();
    const isOver = ended.then(() => true);
    if (!(await Promise.race([isOver, waitFor(graceMs, false)]))) {
      signalGroup(child.pid, 'SIGTERM');
      await Promise.race([isOver, waitFor(graceMs, false)]);
    }
    // Needed even if the process has ended by itself, because processes that it has started may still run.
    signalGroup(child.pid, 'SIGKILL');
    await ended;
  }

  /** Handles the output of the process to its end, `linesPerTick` lines in a tick. */
  async #readAll(output: Readable): Promise<void> {
    try {
      for await (const bytes of output) {
        this.#receivedBytes += bytes.length;
        if (this.#receivedBytes > this.#settings.answerBytes) throw tooMuch(this.#settings.answerBytes, 'bytes');
        await this.#read(bytes);
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #read(bytes: Buffer): Promise<void> {
    let rest = bytes;
    for (let end = rest.indexOf(lineEnd); end >= 0; end = rest.indexOf(lineEnd)) {
      const line = Buffer.concat([...this.#unread, rest.subarray(0, end)]).toString('utf8');
      this.#unread = [];
      rest = rest.subarray(end + 1);
      this.#receivedLines += 1;
      if (this.#receivedLines > linesMax) throw tooMuch(linesMax, 'lines');
      this.#deliver(line.trimEnd());
      if (this.#receivedLines % linesPerTick === 0) await nextTick();
    }
    if (rest.length > 0) this.#unread.push(rest);
  }

  #deliver(line: string): void {
    if (line === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // A line that is no message is skipped, as in the SDK: some servers log to their standard output.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    this.#unread = [];
    this.onerror?.(error);
    void this.close();
  }
}

function tooMuch(max: number, unit: 'bytes' | 'lines'): Error {
  return new Error(`The server sent more than ${max} ${unit} at once.`);
}

/** Signals a process group. Ignores a group that has ended or belongs to another user. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}

/** Limits of the requests to a server. */
export interface FetchBounds {
  /** Maximum number of bytes of an answer, its server-sent events included. */
  readonly answerBytes: number;
  /** Maximum time from the request to the end of its response, in milliseconds. */
  readonly answerMs: number;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Creates a `fetch` for the HTTP transport of MCP that limits size and time of responses. It answers GET itself with
 * 405, because the service does not use the server's event stream.
 */
export function createBoundedFetch({ answerBytes, answerMs }: FetchBounds): Fetch {
  return async (url, init = {}) => {
    if (init.method === 'GET') return new Response(null, { status: 405 });
    const given = init.signal ?? undefined;
    const signal = AbortSignal.any([...(given === undefined ? [] : [given]), AbortSignal.timeout(answerMs)]);
    const response = await fetch(url, { ...init, signal });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const limited = response.body.pipeThrough(createLimit(answerBytes));
    const body = isStream ? limited.pipeThrough(createPacer()) : limited;
    return new Response(body, { status, statusText, headers });
  };
}

function createLimit(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes > bytesMax) controller.error(tooMuch(bytesMax, 'bytes'));
      else controller.enqueue(piece);
    },
  });
}

/** Bytes of an event stream that are handled in one tick of the event loop; an event takes at least 9 bytes. */
const bytesPerTick = 1_024;

/** Passes on an event stream in small pieces, because each event takes up to 0.1 ms; fails after `linesMax` lines. */
function createPacer(): TransformStream<Uint8Array, Uint8Array> {
  let lines = 0;
  return new TransformStream({
    async transform(piece, controller) {
      for (const byte of piece) if (byte === lineEnd) lines += 1;
      if (lines > linesMax) return controller.error(tooMuch(linesMax, 'lines'));
      for (let at = 0; at < piece.length; at += bytesPerTick) {
        controller.enqueue(piece.subarray(at, at + bytesPerTick));
        await nextTick();
      }
    },
  });
}
