import { type Logger, pino } from 'pino';
import { idsInLog } from '#http/ids-in-log.ts';
import type { RequestScope } from '#http/request-scope.ts';
import type { Tracer } from '#http/tracer.ts';
import { outliveReaders } from './outlive-readers.ts';

/**
 * A log of JSON lines on standard error. No line of ours carries headers, bodies or queries, so that no secret can be in it. What is
 * written for a request, or by what a request set going, names it, and the span under way where somebody draws them.
 */
export function createLog(level: string, scope?: RequestScope, tracer?: Pick<Tracer, 'current'>): Logger {
  const mixin = (): object => {
    const request = scope?.current();
    return { ...(request === undefined ? {} : { request }), ...idsInLog(tracer?.current()) };
  };
  const destination = pino.destination(2);
  // At exit, flushSync of sonic-boom repeats a write without end after each error but EAGAIN and EBUSY. Lines that cannot be written are lost.
  destination.on('error', () => (destination.flushSync = () => {}));
  outliveReaders(destination, 2);
  return pino({ level, mixin }, destination);
}
