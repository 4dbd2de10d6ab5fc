import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage, ReplyWish } from './cdp-client.ts';

/** Takes the command line of a browser out of the traces that its clients read. */
export interface TraceStreams {
  /** Follows a command of a client; answers it as it is to be sent, and what is to become of its reply. */
  sent(command: CdpMessage): { readonly command: CdpMessage; readonly wish: ReplyWish };
}

/** Commands that answer the handle of a stream which is no trace. */
const OTHER_STREAMS = new Set(['Page.printToPDF', 'Fetch.takeResponseBodyAsStream', 'Network.loadNetworkResource']);
/** A trace is an object with its events first. What follows them holds the command line. */
const AFTER_EVENTS = Buffer.from('],"metadata":');
/** Ends a trace of another form before the command line. */
const COMMAND_LINE = Buffer.from('"command_line"');
const KEPT_BACK = Math.max(AFTER_EVENTS.length, COMMAND_LINE.length) - 1;
/** Bytes of one read: each is searched in one event-loop tick. */
const READ_BYTES_MAX = 1_048_576;
/** Other streams that are remembered; the oldest is forgotten first, and read as a trace from then on. */
const STREAMS_MAX = 1_000;

/**
 * Creates the filter of one browser, for all its clients: what one has read of a stream, another does not read again. Every stream counts
 * as a trace unless a client was given its handle for something else: the event that names the stream of a trace goes to the client unread.
 */
export function createTraceStreams(): TraceStreams {
  const others = new Set<string>();
  const traces = new Map<string, Trace>();
  return {
    sent(command) {
      const { method = '', params = {} } = command;
      const handle = text(params['handle']);
      if (method === 'IO.close') others.delete(handle);
      if (method === 'IO.read' && !handle.startsWith('blob:') && !others.has(handle)) {
        const wish = onResult((result) => withoutCommandLine(remembered(traces, handle), result));
        return { command: { ...command, params: fromWhereItIs(params) }, wish };
      }
      if (!opensStream(method, params)) return { command, wish: null };
      const wish = onResult((result) => {
        const stream = streamOf(result);
        if (stream !== '') others.add(stream);
        forgetOldest(others);
        return result;
      });
      return { command, wish };
    },
  };
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

/** What is known of a stream that is read. */
interface Trace {
  /** The end of what was read, which may be the beginning of what is to be left out. */
  keptBack: Buffer;
  isOver: boolean;
}

/** A trace is never forgotten while its browser lives: a read behind the end of its events would show the rest. */
function remembered(traces: Map<string, Trace>, handle: string): Trace {
  const trace = traces.get(handle) ?? { keptBack: Buffer.alloc(0), isOver: false };
  traces.set(handle, trace);
  return trace;
}

/** Leaves out the place to read from, which would lead past the filter, and bounds the size. */
function fromWhereItIs({ offset: _offset, size, ...params }: JsonObject): JsonObject {
  return { ...params, size: typeof size === 'number' ? Math.min(size, READ_BYTES_MAX) : READ_BYTES_MAX };
}

/** Ends the stream where its events end. */
function withoutCommandLine(trace: Trace, { data, base64Encoded, eof }: JsonObject): JsonObject {
  if (trace.isOver) return { base64Encoded: true, data: '', eof: true };
  const bytes = Buffer.from(typeof data === 'string' ? data : '', base64Encoded === true ? 'base64' : 'utf8');
  const known = Buffer.concat([trace.keptBack, bytes]);
  const { end, closing } = endOfEvents(known, eof === true);
  trace.isOver = closing !== null;
  trace.keptBack = trace.isOver ? Buffer.alloc(0) : Buffer.from(known.subarray(end));
  const shown = Buffer.concat([known.subarray(0, end), Buffer.from(closing ?? '')]);
  return { base64Encoded: true, data: shown.toString('base64'), eof: trace.isOver };
}

/** Where what may be shown ends, and what closes the trace there; null while more may follow. */
function endOfEvents(known: Buffer, isLast: boolean): { readonly end: number; readonly closing: string | null } {
  const after = known.indexOf(AFTER_EVENTS);
  const bare = known.indexOf(COMMAND_LINE);
  if (after !== -1 && (bare === -1 || after < bare)) return { end: after, closing: ']}' };
  if (bare !== -1) return { end: bare, closing: '' };
  return isLast ? { end: known.length, closing: '' } : { end: Math.max(0, known.length - KEPT_BACK), closing: null };
}

/** The handle that a reply answers; of a network resource inside of it. */
function streamOf({ stream, resource }: JsonObject): string {
  const inner: unknown = typeof resource === 'object' && resource !== null ? Reflect.get(resource, 'stream') : '';
  return text(stream) || text(inner);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
