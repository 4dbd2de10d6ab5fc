import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as waitFor } from 'node:timers/promises';
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
  /** Maximum number of bytes that the server may send after each message of the client. */
  readonly answerBytes: number;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Number of last characters of the standard error that are kept. */
const SAID_MAX = 2_000;
/** Time that a process gets to end after its input was closed, and again after SIGTERM, in milliseconds. */
const GRACE_MS = 1_000;

/**
 * An MCP transport over the standard input and output of a child process. Unlike the transport of the SDK, it passes
 * only the given environment variables, and limits all bytes that arrive after a message of the client; the SDK limits
 * only the bytes that it has not read yet. It also ends the processes that the server has started, if they are in the
 * server's process group.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #settings: ChildSettings;
  #child: Child | null = null;
  #unread: Buffer[] = [];
  #receivedBytes = 0;
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
    child.stdout.on('data', (bytes: Buffer) => this.#read(bytes));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_MAX);
    });
    child.on('close', () => this.onclose?.());
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === null || !child.stdin.writable) throw new Error('The process has ended.');
    this.#receivedBytes = 0;
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
    if (!(await Promise.race([isOver, waitFor(GRACE_MS, false)]))) {
      signalGroup(child.pid, 'SIGTERM');
      await Promise.race([isOver, waitFor(GRACE_MS, false)]);
    }
    // Needed even if the process has ended by itself, because processes that it has started may still run.
    signalGroup(child.pid, 'SIGKILL');
    await ended;
  }

  #read(bytes: Buffer): void {
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes > this.#settings.answerBytes) {
      this.#fail(new Error(`The server sent more than ${this.#settings.answerBytes} bytes at once.`));
      return;
    }
    let rest = bytes;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      const line = Buffer.concat([...this.#unread, rest.subarray(0, end)]).toString('utf8');
      this.#unread = [];
      rest = rest.subarray(end + 1);
      this.#deliver(line.trimEnd());
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
    this.#child?.stdout.destroy();
    this.onerror?.(error);
    void this.close();
  }
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
    return new Response(response.body.pipeThrough(createLimit(answerBytes)), { status, statusText, headers });
  };
}

function createLimit(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes > bytesMax) controller.error(new Error(`The server sent more than ${bytesMax} bytes at once.`));
      else controller.enqueue(piece);
    },
  });
}
