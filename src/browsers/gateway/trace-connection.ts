import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { SpanAttributes, Tracer } from '#lib/tracer.ts';
import { type ClosingName, shutEvent } from './sockets.ts';

/** A new connection. */
export interface TracedConnection {
  /** Handshake request of the connection. */
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  /** Span name from a small fixed set. */
  readonly name: 'DevTools client' | 'live viewer';
  /** Span attributes: numbers, ids and constants, never URLs. */
  readonly facts: SpanAttributes;
}

/** Close reasons that are failures of the service. */
const failures: ReadonlySet<string> = new Set<ClosingName>(['notJoined', 'notHandled']);

/** Close code of a connection that ended without a close frame. */
const abnormal = 1006;

/**
 * Records a trace span of a connection, from its handshake to its end. The `traceparent` header of the handshake names
 * the parent trace. The attributes of the span include the close reason and code, the bytes in both directions, and the
 * number of received messages. Does nothing without a tracer.
 */
export function traceConnection(tracer: Pick<Tracer, 'request'> | undefined, connection: TracedConnection): void {
  if (tracer === undefined) return;
  const { request, socket, name, facts } = connection;
  const stream = request.socket;
  const header = request.headers['traceparent'];
  const span = tracer.request(typeof header === 'string' ? header : undefined);
  // Bytes of earlier requests on the same connection are not counted.
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
