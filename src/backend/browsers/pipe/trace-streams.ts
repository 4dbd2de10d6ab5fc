import type { JsonObject } from '#domain/json.ts';
import type { CdpMessage } from './cdp-message.ts';

/** Takes the command line of the browser out of the traces that a client reads. */
export interface TraceStreams {
  /** Follows a command of the client; answers it as it is to be sent, and whether its reply has to come as a message. */
  sent(command: CdpMessage): { readonly command: CdpMessage; readonly replyIsRead: boolean };
  /** Answers a message of the browser as the client is to get it. */
  received(message: CdpMessage): CdpMessage;
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
/** Streams remembered for one client; the oldest is forgotten first, and read as a trace from then on. */
const STREAMS_MAX = 1_000;

/**
 * Creates the filter of one client. Every stream counts as a trace unless this client was given its handle for something else: the event
 * that names the stream of a trace goes to the client unread.
 */
export function createTraceStreams(): TraceStreams {
  const others = new Set<string>();
  const traces = new Map<string, Trace>();
  const reads = new Map<string, string | null>();
  return {
    sent(command) {
      const { id, method = '', params = {}, sessionId } = command;
      const handle = params['handle'];
      if (method === 'IO.close' && typeof handle === 'string') {
        others.delete(handle);
        traces.delete(handle);
      }
      const opens =
        OTHER_STREAMS.has(method) && (method !== 'Page.printToPDF' || params['transferMode'] === 'ReturnAsStream');
      const isRead =
        method === 'IO.read' && typeof handle === 'string' && !handle.startsWith('blob:') && !others.has(handle);
      if (!opens && !isRead) return { command, replyIsRead: false };
      reads.set(`${sessionId} ${id}`, isRead ? handle : null);
      return { command: isRead ? { ...command, params: fromWhereItIs(params) } : command, replyIsRead: true };
    },
    received(message) {
      const { id, result, sessionId } = message;
      const key = `${sessionId} ${id}`;
      const handle = id === undefined ? undefined : reads.get(key);
      if (handle === undefined) return message;
      reads.delete(key);
      if (result === undefined) return message;
      if (handle !== null) return { ...message, result: withoutCommandLine(remembered(traces, handle), result) };
      const stream = streamOf(result);
      if (stream !== null) others.add(stream);
      for (const oldest of others) if (others.size > STREAMS_MAX) others.delete(oldest);
      return message;
    },
  };
}

/** What is known of a stream that is read. */
interface Trace {
  /** The end of what was read, which may be the beginning of what is to be left out. */
  keptBack: Buffer;
  isOver: boolean;
}

function remembered(traces: Map<string, Trace>, handle: string): Trace {
  const trace = traces.get(handle) ?? { keptBack: Buffer.alloc(0), isOver: false };
  traces.set(handle, trace);
  for (const oldest of traces.keys()) if (traces.size > STREAMS_MAX) traces.delete(oldest);
  return trace;
}

/** Leaves out the place to read from, which would lead past the filter, and bounds the size. */
function fromWhereItIs({ offset: _offset, size, ...params }: JsonObject): JsonObject {
  return { ...params, size: typeof size === 'number' ? Math.min(size, READ_BYTES_MAX) : READ_BYTES_MAX };
}

/** Ends the stream where its events end. */
function withoutCommandLine(trace: Trace, { data, base64Encoded, eof }: JsonObject): JsonObject {
  if (trace.isOver) return { base64Encoded: true, data: '', eof: true };
  const bytes = Buffer.from(String(data), base64Encoded === true ? 'base64' : 'utf8');
  const known = Buffer.concat([trace.keptBack, bytes]);
  const [after, bare] = [known.indexOf(AFTER_EVENTS), known.indexOf(COMMAND_LINE)];
  const isWhole = after !== -1 && (bare === -1 || after < bare);
  trace.isOver = after !== -1 || bare !== -1 || eof === true;
  const end = isWhole ? after : bare === -1 ? Math.max(0, known.length - (trace.isOver ? 0 : KEPT_BACK)) : bare;
  trace.keptBack = Buffer.from(known.subarray(end));
  const shown = isWhole ? Buffer.concat([known.subarray(0, end), Buffer.from(']}')]) : known.subarray(0, end);
  return { base64Encoded: true, data: shown.toString('base64'), eof: trace.isOver };
}

function streamOf({ stream, resource }: JsonObject): string | null {
  if (typeof stream === 'string') return stream;
  const inner: unknown = typeof resource === 'object' && resource !== null ? Reflect.get(resource, 'stream') : null;
  return typeof inner === 'string' ? inner : null;
}
