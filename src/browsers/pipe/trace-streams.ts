import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage, ReplyWish } from './cdp-client.ts';

/** Removes the command line and the folders of the browser from traces that clients read. */
export interface TraceStreams {
  /** Inspects a client's command; returns the command to send and how its reply is handled. */
  sent(command: CdpMessage): { readonly command: CdpMessage; readonly wish: ReplyWish };
  /** Overwrites the folders in the bytes of an unparsed event when it contains part of a trace. */
  hideFolders(event: Buffer): void;
}

/** Beginning of an event with part of a trace, for clients that did not request a stream. */
const TRACE_EVENT = Buffer.from('{"method":"Tracing.dataCollected",');
/** Byte in place of each byte of a folder, so that no length changes. */
const HIDDEN = 'x';

/** Commands whose reply contains a stream handle that is no trace. */
const OTHER_STREAMS = new Set(['Page.printToPDF', 'Fetch.takeResponseBodyAsStream', 'Network.loadNetworkResource']);
/** End of a trace's events. The metadata that follow contain the command line. */
const AFTER_EVENTS = Buffer.from('],"metadata":');
/**
 * Text at which a trace in another format, without `AFTER_EVENTS`, is cut off, so that its command line stays hidden.
 */
const COMMAND_LINE = Buffer.from('"command_line"');
/** Maximum bytes per read: each read is searched in one event-loop tick. */
const READ_BYTES_MAX = 1_048_576;
/**
 * Maximum number of remembered streams that are no traces. The oldest is forgotten first and then treated as a trace.
 */
const STREAMS_MAX = 1_000;

/**
 * Creates the filter for all clients of one browser. `folders` are the folders of the browser, which Chromium names in
 * a trace when it opens a database. Every stream counts as a trace unless a client received its handle for another
 * purpose, because the event that names a trace's stream is forwarded unparsed.
 */
export function createTraceStreams(folders: readonly string[]): TraceStreams {
  const secrets = folders.flatMap((folder) => [folder, escaped(folder)]).map((form) => Buffer.from(form));
  const keptBack = Math.max(...[AFTER_EVENTS, COMMAND_LINE, ...secrets].map(({ length }) => length)) - 1;
  const others = new Set<string>();
  const traces = new Map<string, Trace>();
  return {
    sent(command) {
      const { method = '', params = {} } = command;
      const handle = text(params['handle']);
      if (method === 'IO.close') others.delete(handle);
      if (method === 'IO.read' && !handle.startsWith('blob:') && !others.has(handle)) {
        const wish = onResult((result) =>
          withoutCommandLine(remembered(traces, handle), { result, secrets, keptBack }),
        );
        return { command: { ...command, params: fromWhereItIs(params) }, wish };
      }
      if (!opensStream(method, params)) return { command, wish: null };
      const wish = onResult((result) => {
        const stream = getStream(result);
        if (stream !== '') others.add(stream);
        forgetOldest(others);
        return result;
      });
      return { command, wish };
    },
    hideFolders(event) {
      if (event.subarray(0, TRACE_EVENT.length).equals(TRACE_EVENT)) overwrite(event, secrets);
    },
  };
}

/** Returns a path as Chromium writes it into JSON: in ASCII alone. */
function escaped(path: string): string {
  const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
  return JSON.stringify(path)
    .slice(1, -1)
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${hex(unit)}`);
}

/** Overwrites every occurrence of the secrets. */
function overwrite(bytes: Buffer, secrets: readonly Buffer[]): void {
  for (const secret of secrets)
    for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + secret.length))
      bytes.fill(HIDDEN, at, at + secret.length);
}

function onResult(read: (result: JsonObject) => JsonObject): ReplyWish {
  return (reply) => (reply.result === undefined ? reply : { ...reply, result: read(reply.result) });
}

function opensStream(method: string, params: JsonObject): boolean {
  return OTHER_STREAMS.has(method) && (method !== 'Page.printToPDF' || params['transferMode'] === 'ReturnAsStream');
}

function forgetOldest(known: Set<string>): void {
  for (const oldest of known.keys()) if (known.size > STREAMS_MAX) known.delete(oldest);
}

/** State of a stream that clients read. */
interface Trace {
  /** Last bytes of the data read so far, which may be the beginning of a text to remove. */
  keptBack: Buffer;
  isOver: boolean;
}

/**
 * Returns the state of a trace. The state is kept until the end of the browser, because a read after the end of the
 * events would reveal the metadata.
 */
function remembered(traces: Map<string, Trace>, handle: string): Trace {
  const trace = traces.get(handle) ?? { keptBack: Buffer.alloc(0), isOver: false };
  traces.set(handle, trace);
  return trace;
}

/** Returns the params of a read without the offset, which would bypass the filter, and with a limited size. */
function fromWhereItIs({ offset: _offset, size, ...params }: JsonObject): JsonObject {
  return { ...params, size: typeof size === 'number' ? Math.min(size, READ_BYTES_MAX) : READ_BYTES_MAX };
}

/** One read of a trace, with the texts that clients must not see. */
interface TraceRead {
  readonly result: JsonObject;
  readonly secrets: readonly Buffer[];
  /** Number of bytes at the end of a read that may be the beginning of a text to remove. */
  readonly keptBack: number;
}

/**
 * Returns the part of a read that clients may see. Overwrites the secrets, and ends the stream at the end of the
 * events.
 */
function withoutCommandLine(trace: Trace, { result, secrets, keptBack }: TraceRead): JsonObject {
  const { data, base64Encoded, eof } = result;
  if (trace.isOver) return { base64Encoded: true, data: '', eof: true };
  const bytes = Buffer.from(typeof data === 'string' ? data : '', base64Encoded === true ? 'base64' : 'utf8');
  const known = Buffer.concat([trace.keptBack, bytes]);
  overwrite(known, secrets);
  const { end, closing } = findEventsEnd(known, eof === true ? 0 : keptBack);
  trace.isOver = closing !== null;
  trace.keptBack = trace.isOver ? Buffer.alloc(0) : Buffer.from(known.subarray(end));
  const shown = Buffer.concat([known.subarray(0, end), Buffer.from(closing ?? '')]);
  return { base64Encoded: true, data: shown.toString('base64'), eof: trace.isOver };
}

/**
 * Returns the end of the visible part and the text that closes it. The text is null while more events may follow.
 * @param keptBack - number of bytes at the end to keep back; 0 for the last read
 */
function findEventsEnd(known: Buffer, keptBack: number): { readonly end: number; readonly closing: string | null } {
  const after = known.indexOf(AFTER_EVENTS);
  const bare = known.indexOf(COMMAND_LINE);
  if (after !== -1 && (bare === -1 || after < bare)) return { end: after, closing: ']}' };
  if (bare !== -1) return { end: bare, closing: '' };
  return { end: Math.max(0, known.length - keptBack), closing: keptBack === 0 ? '' : null };
}

/** Returns the stream handle of a reply, also from inside a network resource. */
function getStream({ stream, resource }: JsonObject): string {
  const inner: unknown = typeof resource === 'object' && resource !== null ? Reflect.get(resource, 'stream') : '';
  return text(stream) || text(inner);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
