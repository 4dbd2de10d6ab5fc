import type { EventEmitter } from 'node:events';
import { isatty } from 'node:tty';

/**
 * Whoever reads along may leave first, as `head` does, and a terminal may be closed: what was begun goes on and cleans up, and says the
 * rest to nobody. Anything else that the stream of a descriptor fails with, such as a full disk, is thrown.
 */
export function outliveReaders(stream: EventEmitter, descriptor: number): void {
  // Asked before: a terminal that was closed is none.
  const gone = isatty(descriptor) ? ['EPIPE', 'EIO'] : ['EPIPE'];
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!gone.includes(error.code ?? '')) throw error;
  });
}
