import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage, ReplyWish } from './cdp-client.ts';

/** Filter that removes the command line and the folder paths of the browser from traces that clients read. */
export interface TraceStreams {
  /** Inspects a command of a client. Returns the command for the browser, and how to handle the reply. */
  sent(command: CdpMessage): { readonly command: CdpMessage; readonly wish: ReplyWish };
  /** Overwrites the folder paths in the bytes of an unparsed event, if this event contains trace data. */
  hideFolders(event: Buffer): void;
}

/** Beginning of an event with trace data. Clients that request no stream receive their trace in such events. */
const traceEvent = Buffer.from('{"method":"Tracing.dataCollected",');
/** Replacement for each byte of a folder path, so that the length stays the same. */
const hidden = 'x';

/** Commands that return a stream handle for data other than a trace. */
const otherStreams = new Set(['Page.printToPDF', 'Fetch.takeResponseBodyAsStream', 'Network.loadNetworkResource']);
/** Text at the end of the events in a trace. The metadata after it contain the command line of the browser. */
const afterEvents = Buffer.from('],"metadata":');
/** Start of the command line in a trace. A trace in another format, without `afterEvents`, is cut off here. */
const commandLine = Buffer.from('"command_line"');
/**
 * Maximum number of bytes that a client can read at once. The bytes of one read are searched in one event-loop tick.
 */
const readBytesMax = 1_048_576;
/**
 * Maximum number of remembered stream handles that are no traces. The oldest handles are forgotten, and their streams
 * then count as traces.
 */
const streamsMax = 1_000;

/**
 * Creates the trace filter for all clients of one browser. `folders` are folders of the browser, whose paths occur in
 * traces, for example when Chromium opens a database. Every stream except a blob counts as a trace, unless a reply has
 * shown another purpose. The event that names the stream of a trace cannot be used, because it is forwarded unparsed.
 */
export function createTraceStreams(folders: readonly string[]): TraceStreams {
  const secrets = folders.flatMap((folder) => [folder, escaped(folder)]).map((form) => Buffer.from(form));
  const keptBack = Math.max(...[afterEvents, commandLine, ...secrets].map(({ length }) => length)) - 1;
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
      if (event.subarray(0, traceEvent.length).equals(traceEvent)) overwrite(event, secrets);
    },
  };
}

/** Returns a path in the form in which Chromium writes it into JSON, with non-ASCII characters escaped. */
function escaped(path: string): string {
  const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
  return JSON.stringify(path)
    .slice(1, -1)
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${hex(unit)}`);
}

/** Overwrites every occurrence of the given texts. */
function overwrite(bytes: Buffer, secrets: readonly Buffer[]): void {
  for (const secret of secrets)
    for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + secret.length))
      bytes.fill(hidden, at, at + secret.length);
}

function onResult(read: (result: JsonObject) => JsonObject): ReplyWish {
  return (reply) => (reply.result === undefined ? reply : { ...reply, result: read(reply.result) });
}

function opensStream(method: string, params: JsonObject): boolean {
  return otherStreams.has(method) && (method !== 'Page.printToPDF' || params['transferMode'] === 'ReturnAsStream');
}

function forgetOldest(known: Set<string>): void {
  for (const oldest of known.keys()) if (known.size > streamsMax) known.delete(oldest);
}

/** State of a stream that clients read. */
interface Trace {
  /** Last bytes of the stream that the client has not received yet. They may be the beginning of a text to remove. */
  keptBack: Buffer;
  isOver: boolean;
}

/**
 * Returns the state of the trace with this stream handle. The state is kept until the browser ends: a later read
 * would otherwise reveal the metadata.
 */
function remembered(traces: Map<string, Trace>, handle: string): Trace {
  const trace = traces.get(handle) ?? { keptBack: Buffer.alloc(0), isOver: false };
  traces.set(handle, trace);
  return trace;
}

/** Returns the params of `IO.read` without `offset`, which would bypass the filter, and with a limited `size`. */
function fromWhereItIs({ offset: _offset, size, ...params }: JsonObject): JsonObject {
  return { ...params, size: typeof size === 'number' ? Math.min(size, readBytesMax) : readBytesMax };
}

/** Result of reading a part of a trace, and the texts to hide in it. */
interface TraceRead {
  readonly result: JsonObject;
  readonly secrets: readonly Buffer[];
  /** Number of bytes to hold back at the end of a read. They may be the beginning of a text to remove. */
  readonly keptBack: number;
}

/**
 * Returns the result of a read as the client may see it. Overwrites the folder paths. Ends the stream after the last
 * event, before the command line.
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
 * Returns the end of the part that the client may see, and the text that completes the JSON there. The text is null
 * while more events may follow.
 * @param keptBack - number of bytes to hold back at the end; 0 for the last read
 */
function findEventsEnd(known: Buffer, keptBack: number): { readonly end: number; readonly closing: string | null } {
  const after = known.indexOf(afterEvents);
  const bare = known.indexOf(commandLine);
  if (after !== -1 && (bare === -1 || after < bare)) return { end: after, closing: ']}' };
  if (bare !== -1) return { end: bare, closing: '' };
  return { end: Math.max(0, known.length - keptBack), closing: keptBack === 0 ? '' : null };
}

/** Returns the stream handle in a reply, directly or inside its `resource`; an empty string without a handle. */
function getStream({ stream, resource }: JsonObject): string {
  const inner: unknown = typeof resource === 'object' && resource !== null ? Reflect.get(resource, 'stream') : '';
  return text(stream) || text(inner);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
