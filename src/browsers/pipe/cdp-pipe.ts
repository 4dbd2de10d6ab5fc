import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isWithin } from '#lib/json.ts';
import { type CdpMessage, parseCdpMessage } from './cdp-client.ts';
import { type RawMessage, rawMessageOf } from './raw-message.ts';

/** The two ends of a browser's debugging pipe as one duplex of messages. */
export interface CdpPipe {
  /** Writes one message; false when it is too large for the browser. Does nothing once the pipe is closed. */
  send(message: CdpMessage): boolean;
  /** Null while the browser reads what it is sent; else settles when it has caught up, or the pipe is closed. */
  ready(): Promise<void> | null;
  /**
   * Names the one listener, called for every message in order; do so before the first await after creation. One whose ends say
   * whom it is for is offered to `takeRaw` first, and is not read when that takes it.
   */
  listen(listener: (message: CdpMessage) => void, takeRaw?: (message: RawMessage) => boolean): void;
  /** Settles with the reason when either end has closed or broken; never rejects. */
  readonly closed: Promise<string>;
}

/** Chromium closes a pipe on which one command has more than 100 MiB: the browser would be lost for everybody. */
const COMMAND_BYTES_MAX = 96 * 1024 * 1024;
/**
 * The largest expected messages are dumps of pages; parsing one blocks the service for a moment. Chromium escapes every
 * non-ASCII character with six bytes, so 50 MiB of page give at most 150 MiB.
 */
const MESSAGE_BYTES_MAX = 192 * 1024 * 1024;
/** A message that is read here, on the event loop, for the service's own clients. One for a client from outside is handed on unread. */
const READ_BYTES_MAX = 4 * 1024 * 1024;
const READ_VALUES_MAX = 100_000;
/** A value takes two bytes at least, so a shorter message needs no counting. */
const COUNTED_BYTES = READ_VALUES_MAX * 2;
/** UTF-8 has at most so many bytes for a unit of a text. */
const UNIT_BYTES_MAX = 3;
/** Error of internal clients in place of a reply that is too large to parse. */
export const REPLY_TOO_LARGE = 'The reply is too large to be read.';
const DIALOG = 'Page.javascriptDialogOpening';
/** The head of a message lies in its first bytes. */
const START_BYTES = 128;
/** Chromium writes the id of a reply first. */
const REPLY_ID = /^\{"id":(\d{1,15})[,}]/;

/**
 * Speaks DevTools over a browser's file descriptors 3 (`toBrowser`) and 4 (`fromBrowser`). A message of the browser of more than
 * `messageBytesMax` is not kept: a reply becomes an error, an event is lost.
 */
export function createCdpPipe(
  toBrowser: Writable,
  fromBrowser: Readable,
  messageBytesMax: number = MESSAGE_BYTES_MAX,
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
    const raw = rawMessageOf(bytes, isOwn);
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
        const id = REPLY_ID.exec(start)?.[1];
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
      // Nothing after a broken message can be trusted; destroying the stream reports the error through `error` below.
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
        // `once` rejects when the pipe breaks, which `closed` tells as well.
        () => void (catchingUp = null),
      );
      return catchingUp;
    },
  };
}

/** Time in which messages are read before everything else of the process has its turn. */
const SLICE_MS = 8;

/** Measures the time of all work between `begin` and the end of the turn of the event loop. */
function createSlice(): { begin(): void; isOver(): boolean } {
  let begun: number | null = null;
  return {
    begin() {
      if (begun !== null) return;
      begun = performance.now();
      setImmediate(() => (begun = null));
    },
    isOver: () => begun !== null && performance.now() - begun > SLICE_MS,
  };
}

/** Reads nothing of a stream until the next turn of the event loop. */
function rest(stream: Readable): void {
  stream.pause();
  setImmediate(() => stream.resume());
}

function isReadable(bytes: Buffer): boolean {
  if (bytes.length <= COUNTED_BYTES) return true;
  return bytes.length <= READ_BYTES_MAX && isWithin(bytes, { depth: Infinity, values: READ_VALUES_MAX });
}

/**
 * What stands for a message that is too large to be read: an error for a reply. A dialog loses its words, because a page waits for its
 * answer; null for every other event, which is lost.
 */
function shortened(bytes: Buffer): CdpMessage | null {
  const start = bytes.toString('utf8', 0, START_BYTES);
  const id = REPLY_ID.exec(start)?.[1];
  const sessionId = rawMessageOf(bytes, false)?.sessionId;
  const head = sessionId === undefined ? {} : { sessionId };
  if (id !== undefined) return { ...head, id: Number(id), error: { code: -32_000, message: REPLY_TOO_LARGE } };
  if (!start.startsWith(`{"method":"${DIALOG}"`)) return null;
  const params = {
    url: '',
    frameId: '',
    message: '(too long)',
    type: 'alert',
    hasBrowserHandler: false,
    defaultPrompt: '',
  };
  return { ...head, method: DIALOG, params };
}

/** Writes one message; false when it is too large for the browser. */
function write(toBrowser: Writable, message: CdpMessage): boolean {
  if (message.unreadParams !== undefined) {
    writeUnread(toBrowser, message, message.unreadParams);
    return true;
  }
  const text = `${JSON.stringify(message)}\0`;
  if (isLarger(text, COMMAND_BYTES_MAX)) return false;
  toBrowser.write(text);
  return true;
}

/** Writes a command with unparsed params, whose size the caller limits. */
function writeUnread(toBrowser: Writable, { id, method, sessionId }: CdpMessage, params: Buffer): void {
  toBrowser.write(`${JSON.stringify({ id, method, sessionId }).slice(0, -1)},"params":`);
  toBrowser.write(params);
  toBrowser.write('}\0');
}

/** Whether a text has more bytes than that in UTF-8; most are so short that they need not be counted. */
function isLarger(text: string, bytesMax: number): boolean {
  return text.length * UNIT_BYTES_MAX > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** Receiver of complete messages and of the beginnings of oversized ones. */
export interface SplitterListener {
  /** The bytes of one complete text: in memory of their own, or valid until this returns, because more of the stream lies around them. */
  text(bytes: Buffer, isOwn: boolean): void;
  /** The first characters of a text that was larger than allowed; the rest of it was thrown away. */
  tooLarge(start: string): void;
}

/** What is kept of a text that is too large: enough to see what it belongs to. */
const SPLITTER_START_BYTES = 256;

/**
 * Cuts a byte stream into the NUL-terminated texts that `--remote-debugging-pipe` speaks. The returned function takes
 * the stream's chunks in order, whatever their borders. A text of more than `bytesMax` is not kept, so that no peer can
 * use up the memory; the texts after it are delivered as ever.
 */
export function createNulSplitter(listener: SplitterListener, bytesMax: number): (chunk: Buffer) => void {
  let kept: Buffer[] = [];
  let bytes = 0;
  const keep = (part: Buffer): void => {
    const wasTooLarge = bytes > bytesMax;
    bytes += part.length;
    if (wasTooLarge) return;
    kept.push(part);
    // Joining copies, so that the chunks that were kept so far are let go.
    if (bytes > bytesMax) kept = [Buffer.from(Buffer.concat(kept, Math.min(bytes, SPLITTER_START_BYTES)))];
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
    // Most texts lie in one chunk, and are not copied.
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
