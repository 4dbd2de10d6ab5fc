import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { SpanFacts, Tracer } from '#lib/tracer.ts';
import { type ClosingName, shutEvent } from './sockets.ts';

/** A connection that was just made. */
export interface DrawnConnection {
  /** Its handshake. */
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  /** What it is, one of few. */
  readonly name: 'DevTools client' | 'live viewer';
  /** What it leads to: figures, ids and words of ours, never its address. */
  readonly facts: SpanFacts;
}

/** Endings that are a failure on our side. */
const failures: ReadonlySet<string> = new Set<ClosingName>(['notJoined', 'notHandled']);

/** The code of a connection that was never closed: the other end is gone. */
const abnormal = 1006;

/**
 * Draws a connection from its handshake until it has ended, as a part of the trace that its handshake names. Tells how it ended and how much went over it:
 * bytes as they went over the network, both ways, and messages that came.
 */
export function drawConnection(tracer: Pick<Tracer, 'request'> | undefined, connection: DrawnConnection): void {
  if (tracer === undefined) return;
  const { request, socket, name, facts } = connection;
  const stream = request.socket;
  const header = request.headers['traceparent'];
  const span = tracer.request(typeof header === 'string' ? header : undefined);
  // What requests before it sent over the same connection is not counted.
  const before = { received: stream.bytesRead, sent: stream.bytesWritten };
  let messages = 0;
  let ending: string | null = null;
  socket.on('message', () => {
    messages += 1;
  });
  socket.once('error', () => {
    ending ??= 'failed';
  });
  socket.once(shutEvent, (closing: ClosingName) => {
    ending ??= closing;
  });
  socket.once('close', (code) => {
    const end = ending ?? (code === abnormal ? 'lost' : 'left');
    span.end({
      name,
      ...(failures.has(end) ? { failure: end } : {}),
      facts: {
        ...facts,
        'network.protocol.name': 'websocket',
        'svc.connection.end': end,
        'svc.connection.code': code,
        'svc.connection.bytes.received': stream.bytesRead - before.received,
        'svc.connection.bytes.sent': stream.bytesWritten - before.sent,
        'svc.connection.messages.received': messages,
      },
    });
  });
}
