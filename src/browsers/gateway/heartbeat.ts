import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { GatewayLimits } from './gateway-limits.ts';

/** Finds connections whose other end has vanished without a word. */
export interface Heartbeat {
  /** Pings a websocket until it closes; `stream` is the connection below it. */
  watch(socket: WebSocket, stream: Pick<Socket, 'bytesRead'>): void;
  close(): void;
}

interface Watched {
  readonly stream: Pick<Socket, 'bytesRead'>;
  bytesRead: number;
  missed: number;
}

/**
 * Pings all connections on one timer. A client need not ping, and a busy one may leave pings unanswered for minutes: only then
 * its connection is cut. Every byte of a client is a sign of life, also one of a large message that is not complete; one that is
 * not read from cannot give any.
 */
export function createHeartbeat({
  pingIntervalMs,
  pingsUnansweredMax,
}: Pick<GatewayLimits, 'pingIntervalMs' | 'pingsUnansweredMax'>): Heartbeat {
  const all = new Map<WebSocket, Watched>();
  const beat = (socket: WebSocket, watched: Watched): void => {
    const { bytesRead } = watched.stream;
    if (socket.isPaused || bytesRead > watched.bytesRead) watched.missed = 0;
    watched.bytesRead = bytesRead;
    if (watched.missed >= pingsUnansweredMax) return socket.terminate();
    watched.missed += 1;
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const timer = setInterval(() => {
    for (const [socket, watched] of all) beat(socket, watched);
  }, pingIntervalMs);
  return {
    watch(socket, stream) {
      all.set(socket, { stream, bytesRead: stream.bytesRead, missed: 0 });
      socket.once('close', () => all.delete(socket));
    },
    close: () => clearInterval(timer),
  };
}
