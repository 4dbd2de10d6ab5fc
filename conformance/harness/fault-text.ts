/** What other clients say of a connection that the other side has ended; Node's names what it did to its own objects. */
const closed: ReadonlySet<string> = new Set(['socket hang up', 'aborted']);

/** Why no answer arrived, in a few words. */
export function faultText(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') return `nothing within ${timeoutMs} ms`;
  const cause = error.cause instanceof Error ? error.cause : error;
  if (closed.has(cause.message)) return 'other side closed';
  // A refused connection to several addresses is an AggregateError with an empty message.
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
