import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isWithin } from '#lib/json-size.ts';
import { type CdpMessage, parseCdpMessage } from './cdp-client.ts';
import { type RawMessage, getRawMessage } from './raw-message.ts';

/** Debugging pipe of a browser: sends commands and receives replies and events. */
export interface CdpPipe {
  /**
   * Sends a message. Returns false when it is too large for the browser. On a closed pipe, does nothing and returns
   * true.
   */
  send(message: CdpMessage): boolean;
  /**
   * Returns null while the browser reads commands fast enough. Otherwise returns a promise that resolves when the
   * browser has caught up or the pipe is closed.
   */
  ready(): Promise<void> | null;
  /**
   * Sets the only listener, which receives every message in order. Call it before the first await after creating the
   * pipe. If the head of a message can be read without parsing, `takeRaw` receives the message first. The message is
   * parsed for `listener` only if `takeRaw` returns false.
   */
  listen(listener: (message: CdpMessage) => void, takeRaw?: (message: RawMessage) => boolean): void;
  /** Resolves with the reason when the pipe is closed or broken; never rejects. */
  readonly closed: Promise<string>;
}

/**
 * Maximum size of a command. Chromium closes a pipe with a command of more than 100 MiB, which would end the browser
 * for all clients.
 */
const commandBytesMax = 96 * 1024 * 1024;
/**
 * Maximum size of a message from the browser. The largest expected messages contain whole pages. Chromium escapes a
 * character of two bytes in UTF-8 with six bytes, which is the greatest expected growth. So a page of 50 MiB becomes at
 * most 150 MiB.
 */
const defaultMessageBytesMax = 192 * 1024 * 1024;
/**
 * Maximum size of a message that the service parses for itself, because parsing blocks the event loop. Larger messages
 * reach external clients unparsed.
 */
const readBytesMax = 4 * 1024 * 1024;
const readValuesMax = 100_000;
/**
 * Size in bytes above which the values of a message are counted. A smaller message cannot have too many values, because
 * each value takes at least two bytes.
 */
const countedBytes = readValuesMax * 2;
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const unitBytesMax = 3;
/** Error message that internal clients receive in place of a reply that is too large to parse. */
export const replyTooLarge = 'The reply is too large to be read.';
const dialog = 'Page.javascriptDialogOpening';
/** Number of bytes at the beginning of a message that contain its id or method. */
const startBytes = 128;
/** Beginning of a reply: Chromium writes the id first. */
const replyId = /^\{"id":(\d{1,15})[,}]/;

/**
 * Creates the debugging pipe of a browser over its file descriptors 3 (`toBrowser`) and 4 (`fromBrowser`). A message
 * from the browser of more than `messageBytesMax` bytes is discarded: its command fails with an error, and an event is
 * lost.
 */
export function createCdpPipe(
  toBrowser: Writable,
  fromBrowser: Readable,
  messageBytesMax: number = defaultMessageBytesMax,
): CdpPipe {
  const tooLarge = { code: -32_000, message: `The reply is larger than ${messageBytesMax} bytes.` };
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  let open = true;
  let catchingUp: Promise<void> | null = null;
  const close = (reason: string): void => {
    open = false;
    resolve(reason);
  };
  let listener: (message: CdpMessage) => void = () => undefined;
  let takeRaw: (message: RawMessage) => boolean = () => false;
  const isTaken = (bytes: Buffer, isOwn: boolean): boolean => {
    const raw = getRawMessage(bytes, isOwn);
    return raw !== null && takeRaw(raw);
  };
  const split = createNulSplitter(
    {
      text(bytes, isOwn) {
        if (isTaken(bytes, isOwn)) return;
        const message = isReadable(bytes) ? parseCdpMessage(bytes.toString('utf8')) : shortened(bytes);
        if (message !== null) listener(message);
      },
      tooLarge: (start) => {
        const id = replyId.exec(start)?.[1];
        // An unreadable event is dropped; other messages continue.
        if (id !== undefined) listener({ id: Number(id), error: tooLarge });
      },
    },
    messageBytesMax,
  );
  const slice = createSlice();
  fromBrowser.on('data', (chunk: Buffer) => {
    slice.begin();
    try {
      split(chunk);
      if (slice.isOver()) rest(fromBrowser);
    } catch (error) {
      // Data after a broken message cannot be trusted; destroying the stream reports the error through `error` below.
      fromBrowser.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  for (const stream of [toBrowser, fromBrowser]) {
    stream.on('error', (error) => close(`The debugging pipe broke: ${error.message}`));
    stream.on('close', () => close('The browser closed its debugging pipe.'));
  }
  return {
    closed,
    listen(next, take = () => false) {
      listener = next;
      takeRaw = take;
    },
    send: (message) => !open || write(toBrowser, message),
    ready() {
      if (!open || !toBrowser.writableNeedDrain) return null;
      catchingUp ??= Promise.race([once(toBrowser, 'drain'), closed]).then(
        () => void (catchingUp = null),
        // `once` rejects when the pipe breaks, which `closed` reports as well.
        () => void (catchingUp = null),
      );
      return catchingUp;
    },
  };
}

/** Maximum time in one event-loop tick for reading messages of a browser, before other work continues. */
const sliceMs = 8;

/**
 * Creates a time budget of `sliceMs` per event-loop tick. The first `begin` in a tick starts the clock; `isOver`
 * returns whether the budget is used up.
 */
function createSlice(): { begin(): void; isOver(): boolean } {
  let begun: number | null = null;
  return {
    begin() {
      if (begun !== null) return;
      begun = performance.now();
      setImmediate(() => (begun = null));
    },
    isOver: () => begun !== null && performance.now() - begun > sliceMs,
  };
}

/** Pauses a stream until the next event-loop tick. */
function rest(stream: Readable): void {
  stream.pause();
  setImmediate(() => stream.resume());
}

function isReadable(bytes: Buffer): boolean {
  if (bytes.length <= countedBytes) return true;
  return bytes.length <= readBytesMax && isWithin(bytes, { depth: Infinity, values: readValuesMax });
}

/**
 * Returns a replacement for a message that is too large or has too many values to parse. A reply becomes an error. A
 * dialog event loses its texts, but must arrive, because the page waits for an answer. Returns null for every other
 * event, which is lost.
 */
function shortened(bytes: Buffer): CdpMessage | null {
  const start = bytes.toString('utf8', 0, startBytes);
  const id = replyId.exec(start)?.[1];
  const sessionId = getRawMessage(bytes, false)?.sessionId;
  const head = sessionId === undefined ? {} : { sessionId };
  if (id !== undefined) return { ...head, id: Number(id), error: { code: -32_000, message: replyTooLarge } };
  if (!start.startsWith(`{"method":"${dialog}"`)) return null;
  const params = {
    url: '',
    frameId: '',
    message: '(too long)',
    type: 'alert',
    hasBrowserHandler: false,
    defaultPrompt: '',
  };
  return { ...head, method: dialog, params };
}

/** Writes a command to the pipe; returns false when it is too large for the browser. */
function write(toBrowser: Writable, message: CdpMessage): boolean {
  if (message.unreadParams !== undefined) {
    writeUnread(toBrowser, message, message.unreadParams);
    return true;
  }
  const text = `${JSON.stringify(message)}\0`;
  if (isLarger(text, commandBytesMax)) return false;
  toBrowser.write(text);
  return true;
}

/** Writes a command with unparsed params to the pipe. Does not check the size, which the caller limits. */
function writeUnread(toBrowser: Writable, { id, method, sessionId }: CdpMessage, params: Buffer): void {
  toBrowser.write(`${JSON.stringify({ id, method, sessionId }).slice(0, -1)},"params":`);
  toBrowser.write(params);
  toBrowser.write('}\0');
}

/** Returns whether a string has more than `bytesMax` bytes in UTF-8. Short strings need no count. */
function isLarger(text: string, bytesMax: number): boolean {
  return text.length * unitBytesMax > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** Receiver of the messages that a splitter finds in a stream. */
export interface SplitterListener {
  /**
   * Receives the bytes of one complete message. If `isOwn` is true, the receiver may keep the bytes. Otherwise they are
   * part of a larger buffer and valid only during the call.
   */
  text(bytes: Buffer, isOwn: boolean): void;
  /** Receives the first characters of a message that is too large; the rest of this message is discarded. */
  tooLarge(start: string): void;
}

/**
 * Number of bytes that the splitter keeps of a message that is too large: the beginning, which suffices to identify the
 * message.
 */
const splitterStartBytes = 256;

/**
 * Creates a splitter for the NUL-terminated messages of `--remote-debugging-pipe`. The returned function takes chunks
 * of the stream in order. A message of more than `bytesMax` is discarded to limit memory; later messages are delivered.
 */
export function createNulSplitter(listener: SplitterListener, bytesMax: number): (chunk: Buffer) => void {
  let kept: Buffer[] = [];
  let bytes = 0;
  const keep = (part: Buffer): void => {
    const wasTooLarge = bytes > bytesMax;
    bytes += part.length;
    if (wasTooLarge) return;
    kept.push(part);
    // Concatenation copies, so that the kept chunks can be freed.
    if (bytes > bytesMax) kept = [Buffer.from(Buffer.concat(kept, Math.min(bytes, splitterStartBytes)))];
  };
  const deliver = (): void => {
    const text = Buffer.concat(kept);
    const isTooLarge = bytes > bytesMax;
    kept = [];
    bytes = 0;
    if (isTooLarge) listener.tooLarge(text.toString('utf8'));
    else listener.text(text, true);
  };
  const end = (part: Buffer): void => {
    // Most messages are within one chunk and are not copied.
    if (bytes === 0 && part.length <= bytesMax) return listener.text(part, false);
    keep(part);
    return deliver();
  };
  return (chunk) => {
    let start = 0;
    for (let nul = chunk.indexOf(0); nul !== -1; nul = chunk.indexOf(0, start)) {
      const part = chunk.subarray(start, nul);
      start = nul + 1;
      end(part);
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
}
