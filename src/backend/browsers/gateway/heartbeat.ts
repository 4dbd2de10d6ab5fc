import type { WebSocket } from 'ws';
import type { GatewayLimits } from './gateway-limits.ts';

/** Finds connections whose other end has vanished without a word. */
export interface Heartbeat {
  /** Pings a connection until it closes. */
  watch(socket: WebSocket): void;
  close(): void;
}

/**
 * Pings all connections on one timer. A client need not ping, and a busy one may leave pings unanswered for minutes: only then
 * its connection is cut. Whatever a client sends is a sign of life.
 */
export function createHeartbeat({ pingIntervalMs, pingsUnansweredMax }: GatewayLimits): Heartbeat {
  const unanswered = new Map<WebSocket, number>();
  const beat = (socket: WebSocket, missed: number): void => {
    if (missed >= pingsUnansweredMax) return socket.terminate();
    unanswered.set(socket, missed + 1);
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const timer = setInterval(() => {
    for (const [socket, missed] of unanswered) beat(socket, missed);
  }, pingIntervalMs);
  return {
    watch(socket) {
      const alive = (): void => void unanswered.set(socket, 0);
      alive();
      socket.on('pong', alive);
      socket.on('ping', alive);
      socket.on('message', alive);
      socket.once('close', () => unanswered.delete(socket));
    },
    close: () => clearInterval(timer),
  };
}
