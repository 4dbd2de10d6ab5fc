import type { EventEmitter } from 'node:events';
import { isatty } from 'node:tty';

/**
 * Ignores a closed output: readers such as `head` may exit first, and terminals may be closed. Work continues and
 * cleans up. Other stream errors, such as a full disk, are thrown.
 */
export function outliveReaders(stream: EventEmitter, descriptor: number): void {
  // Checked at once: a closed terminal is not a TTY any more.
  const gone = isatty(descriptor) ? ['EPIPE', 'EIO'] : ['EPIPE'];
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!gone.includes(error.code ?? '')) throw error;
  });
}
