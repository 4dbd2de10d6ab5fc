import type { Duplex } from 'node:stream';

/**
 * Joins two streams both ways: what one sends the other gets, no faster than it reads. What was sent before an orderly end still
 * arrives; where one breaks, the other is cut. Settles when both have gone; never rejects.
 */
export async function joinStreams(first: Duplex, second: Duplex): Promise<void> {
  await Promise.all([follow(first, second), follow(second, first)]);
}

function follow(from: Duplex, to: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // An error is followed by the close, which ends the other side.
  from.on('error', () => undefined);
  from.once('close', () => {
    if (from.errored === null && from.readableEnded) to.end();
    else to.destroy();
    // Nobody takes what it still sends; unread, its end would never come.
    to.resume();
    resolve();
  });
  from.pipe(to);
  return promise;
}
