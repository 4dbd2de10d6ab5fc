/** Sends answers at the end of a turn of the event loop, in the order in which they were given. */
export type Outbox = (send: () => void) => void;

/**
 * An outbox of its own. Whoever reads an answer is woken by it, and goes to sleep again when the next is a while off: where many ask at once,
 * to be woken for each takes longer than to read it. Nobody who asks alone waits for it. What is given must not throw.
 */
export function createOutbox(): Outbox {
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const sending = waiting;
    waiting = [];
    for (const send of sending) send();
  };
  return (send) => {
    waiting.push(send);
    if (waiting.length === 1) setImmediate(flush);
  };
}
