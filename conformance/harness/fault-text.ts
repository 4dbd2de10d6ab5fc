import { exceedingAnswer } from './answer-limits.ts';
import type { Answer } from './transport.ts';

/** What other clients say of a connection that the other side has ended; Node's names what it did to its own objects. */
const closed: ReadonlySet<string> = new Set(['socket hang up', 'aborted']);

/** Why no answer arrived, in a few words. */
function faultText(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') return `nothing within ${timeoutMs} ms`;
  const cause = error.cause instanceof Error ? error.cause : error;
  if (closed.has(cause.message)) return 'other side closed';
  // A refused connection to several addresses is an AggregateError with an empty message.
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}

/** Codes of clients for headers that are too long. */
const headersTooLong: ReadonlySet<unknown> = new Set(['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW']);

/** The answer that stands for an error of a client: headers that are too long exceed a limit, everything else is a fault. */
export function faultAnswer(error: Error, timeoutMs: number): Answer {
  const cause = error.cause instanceof Error ? error.cause : error;
  if ('code' in cause && headersTooLong.has(cause.code)) {
    return exceedingAnswer({ limit: 'answerHeaders', status: 0, headers: {}, bytes: Buffer.alloc(0) });
  }
  return { status: 0, headers: {}, body: '', fault: faultText(error, timeoutMs) };
}
