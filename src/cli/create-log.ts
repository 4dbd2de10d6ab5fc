import { type Logger, pino } from 'pino';
import { idsInLog, type RequestScope } from '#api/http/request-scope.ts';
import type { Tracer } from '#lib/tracer.ts';

/** Size of the buffer for lines that cannot be written yet, for example on a full disk. */
const keptBytes = 1024 * 1024;

/**
 * Creates a log of JSON lines on standard error. Lines contain no headers, bodies or queries, and therefore no secrets.
 * Lines about a request, and about work that the request started, contain the id of the request, and the current span
 * when tracing is enabled. Failed writes do not end the process: up to 1 MiB of lines is buffered, and further lines
 * are lost.
 */
export function createLog(level: string, scope?: RequestScope, tracer?: Pick<Tracer, 'current'>): Logger {
  const mixin = (): object => {
    const request = scope?.current();
    return { ...(request === undefined ? {} : { request }), ...idsInLog(tracer?.current()) };
  };
  const destination = pino.destination({ dest: 2, minLength: 1, maxLength: keptBytes });
  let isFailing = false;
  // At exit, flushSync of sonic-boom repeats a failed write endlessly, except for EAGAIN and EBUSY. Lines that cannot
  // be written are lost.
  const flushSync = destination.flushSync.bind(destination);
  destination.flushSync = () => isFailing || flushSync();
  destination.on('error', () => (isFailing = true));
  destination.on('write', () => (isFailing = false));
  // A full buffer accepts no lines and starts no write by itself: without this call the log would stay silent even
  // after space becomes free.
  destination.on('drop', () => destination.flush());
  return pino({ level, mixin }, destination);
}
