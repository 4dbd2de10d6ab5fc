import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayLimits } from './gateway-limits.ts';
import { createHeartbeat } from './heartbeat.ts';

const limits: GatewayLimits = {
  messageBytesMax: 1,
  backlogBytesMax: 1,
  clientsMax: 1,
  pingIntervalMs: 30_000,
  pingsUnansweredMax: 10,
};

/** A connection that counts what is done to it. */
class FakeSocket extends EventEmitter {
  readonly OPEN = WebSocket.OPEN;
  readyState: number = WebSocket.OPEN;
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
  heartbeat.watch(socket as unknown as WebSocket);
  return Object.assign(socket, { end: () => heartbeat.close() });
}

test('pings every interval, and leaves alone who answers', () => {
  const socket = watched();
  for (let beat = 0; beat < 100; beat += 1) {
    vi.advanceTimersByTime(limits.pingIntervalMs);
    socket.emit('pong');
  }
  expect([socket.pings, socket.terminated]).toEqual([100, false]);
  socket.end();
});

test.each(['message', 'ping'])('takes a %s of the client as a sign of life', (event) => {
  const socket = watched();
  for (let beat = 0; beat < 50; beat += 1) {
    vi.advanceTimersByTime(9 * limits.pingIntervalMs);
    socket.emit(event);
  }
  expect(socket.terminated).toBe(false);
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
