import { type Logger, pino } from 'pino';
import { idsInLog, type RequestScope } from '#api/http/request-scope.ts';
import type { Tracer } from '#lib/tracer.ts';

/** Size of the buffer for lines that cannot be written yet, for example on a full disk. */
const keptBytes = 1024 * 1024;

/**
 * A log of JSON lines on standard error. No line of ours carries headers, bodies or queries, so that no secret can be in it. What is
 * written for a request, or by what a request set going, names it, and the current span when tracing is on. The process goes on when a line cannot
 * be written: up to 1 MiB of lines is written later, the rest is lost.
 */
export function createLog(level: string, scope?: RequestScope, tracer?: Pick<Tracer, 'current'>): Logger {
  const mixin = (): object => {
    const request = scope?.current();
    return { ...(request === undefined ? {} : { request }), ...idsInLog(tracer?.current()) };
  };
  const destination = pino.destination({ dest: 2, minLength: 1, maxLength: keptBytes });
  let isFailing = false;
  // At exit, flushSync of sonic-boom repeats a write without end after each error but EAGAIN and EBUSY. Lines that cannot be written are lost.
  const flushSync = destination.flushSync.bind(destination);
  destination.flushSync = () => isFailing || flushSync();
  destination.on('error', () => (isFailing = true));
  destination.on('write', () => (isFailing = false));
  // A full buffer takes no lines and tries no write by itself: without this the log would stay silent after the disk has room again.
  destination.on('drop', () => destination.flush());
  return pino({ level, mixin }, destination);
}
