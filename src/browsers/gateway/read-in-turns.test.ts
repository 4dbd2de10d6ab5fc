import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { readInTurns } from './connect-client.ts';

/** Simulated websocket that emits messages even while it is paused, as `ws` does with data that it has already read. */
class FakeSocket extends EventEmitter {
  isPaused = false;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
    this.emit('resumed');
  }
}

const limits = { turnMessagesMax: 3, turnBytesMax: 100 };
let socket: FakeSocket;
let handled: string[];
let busy: Promise<void> | null;

beforeEach(() => {
  socket = new FakeSocket();
  handled = [];
  busy = null;
  readInTurns(socket as unknown as WebSocket, limits, (bytes) => {
    handled.push(bytes.toString());
    return busy;
  });
});

function give(...texts: string[]): void {
  for (const text of texts) socket.emit('message', Buffer.from(text));
}

test('one message is handled at once', () => {
  give('a');
  expect([handled, socket.isPaused]).toEqual([['a'], false]);
});

test('many messages of one read are handled in order and in turns, and nothing is read meanwhile', async () => {
  socket.pause();
  give('a');
  busy = Promise.resolve();
  give('b', 'c', 'd', 'e', 'f');
  busy = null;
  expect([handled, socket.isPaused]).toEqual([['a', 'b'], true]);
  await Promise.resolve();
  expect([handled.join(''), socket.isPaused]).toEqual(['abcde', true]);
  await nextTurn();
  expect([handled.join(''), socket.isPaused]).toEqual(['abcdef', false]);
});

test('a turn ends early when its messages are large', async () => {
  busy = Promise.resolve();
  give('a', 'x'.repeat(200), 'b');
  busy = null;
  await Promise.resolve();
  expect(handled).toHaveLength(2);
  await once(socket, 'resumed');
  expect(handled).toHaveLength(3);
});

test('the next message waits until the browser reads again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  busy = promise;
  give('a', 'b');
  await nextTurn();
  expect([handled, socket.isPaused]).toEqual([['a'], true]);
  busy = null;
  resolve();
  await promise;
  expect([handled, socket.isPaused]).toEqual([['a', 'b'], false]);
});
