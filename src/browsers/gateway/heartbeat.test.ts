import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayLimits } from './gateway-limits.ts';
import { createHeartbeat } from './sockets.ts';

const limits: GatewayLimits = {
  messageBytesMax: 1,
  commandBytesMax: 1,
  commandValuesMax: 1,
  backlogBytesMax: 1,
  browserBacklogBytesMax: 1,
  nestingMax: 1,
  unansweredMax: 1,
  turnMessagesMax: 1,
  turnBytesMax: 1,
  clientsMax: 1,
  pingIntervalMs: 30_000,
  pingsUnansweredMax: 10,
};

/** Simulated websocket with its TCP connection, which records pings and termination. */
class FakeSocket extends EventEmitter {
  readonly OPEN = WebSocket.OPEN;
  readyState: number = WebSocket.OPEN;
  isPaused = false;
  bytesRead = 0;
  pings = 0;
  terminated = false;
  ping(): void {
    this.pings += 1;
  }
  terminate(): void {
    this.terminated = true;
    this.emit('close');
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched(): FakeSocket & { end: () => void } {
  const socket = new FakeSocket();
  const heartbeat = createHeartbeat(limits);
  heartbeat.watch(socket as unknown as WebSocket, socket);
  return Object.assign(socket, { end: () => heartbeat.close() });
}

test('pings every interval and keeps a connection that answers', () => {
  const socket = watched();
  for (let beat = 0; beat < 100; beat += 1) {
    vi.advanceTimersByTime(limits.pingIntervalMs);
    socket.bytesRead += 2;
  }
  expect([socket.pings, socket.terminated]).toEqual([100, false]);
  socket.end();
});

test('takes a part of a message that is not complete as a sign of life', () => {
  const socket = watched();
  for (let beat = 0; beat < 50; beat += 1) {
    vi.advanceTimersByTime(9 * limits.pingIntervalMs);
    socket.bytesRead += 1;
  }
  expect(socket.terminated).toBe(false);
  socket.end();
});

test('does not expect an answer of a client that is not read from', () => {
  const socket = watched();
  socket.isPaused = true;
  vi.advanceTimersByTime(100 * limits.pingIntervalMs);
  expect(socket.terminated).toBe(false);
  socket.isPaused = false;
  vi.advanceTimersByTime(11 * limits.pingIntervalMs);
  expect(socket.terminated).toBe(true);
  socket.end();
});

test('cuts a connection after ten unanswered pings, not before', () => {
  const socket = watched();
  vi.advanceTimersByTime(10 * limits.pingIntervalMs);
  expect([socket.pings, socket.terminated]).toEqual([10, false]);
  vi.advanceTimersByTime(limits.pingIntervalMs);
  expect(socket.terminated).toBe(true);
  socket.end();
});

test('does nothing any more once it is closed', () => {
  const socket = watched();
  socket.end();
  vi.advanceTimersByTime(100 * limits.pingIntervalMs);
  expect([socket.pings, vi.getTimerCount()]).toEqual([0, 0]);
});
