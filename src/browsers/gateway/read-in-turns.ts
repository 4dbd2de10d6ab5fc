import type { RawData, WebSocket } from 'ws';
import type { GatewayLimits } from './gateway-limits.ts';

/**
 * Handles what a client sends, message by message in their order: as many at once as the limits allow, then others have their
 * turn, and the client is not read from meanwhile. When `handle` answers a promise, the next message waits for it.
 */
export function readInTurns(
  socket: WebSocket,
  limits: Pick<GatewayLimits, 'turnMessagesMax' | 'turnBytesMax'>,
  handle: (bytes: Buffer) => Promise<void> | null,
): void {
  const waiting: Buffer[] = [];
  let isWaiting = false;
  const wait = (): void => {
    isWaiting = true;
    socket.pause();
  };
  const goOn = (): void => {
    isWaiting = false;
    turn();
    if (!isWaiting) socket.resume();
  };
  const turn = (): void => {
    let [messages, bytes] = [0, 0];
    for (let data = waiting.shift(); data !== undefined; data = waiting.shift()) {
      messages += 1;
      bytes += data.length;
      const busy = handle(data);
      if (busy !== null) {
        wait();
        // It tells that the browser reads again or has gone, never an error.
        return void busy.then(goOn);
      }
      if (messages >= limits.turnMessagesMax || bytes >= limits.turnBytesMax) {
        wait();
        return void setImmediate(goOn);
      }
    }
  };
  // One read from the network can hold many messages: those that come although the socket is paused wait here.
  socket.on('message', (data) => {
    waiting.push(bytesOf(data));
    if (!isWaiting) turn();
  });
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
