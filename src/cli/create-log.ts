import { type Logger, pino } from 'pino';
import type { RequestScope } from '#http/request-scope.ts';

/**
 * A log of JSON lines on standard error. No line of ours carries headers, bodies or queries, so that no secret can be in it. What is
 * written for a request, or by what a request set going, names it.
 */
export function createLog(level: string, scope?: RequestScope): Logger {
  const mixin = (): object => {
    const request = scope?.current();
    return request === undefined ? {} : { request };
  };
  return pino({ level, mixin }, pino.destination(2));
}
