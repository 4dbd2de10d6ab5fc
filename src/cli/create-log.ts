import { type Logger, pino } from 'pino';

/** A log of JSON lines on standard error. No line of ours carries headers, bodies or queries, so that no secret can be in it. */
export function createLog(level: string): Logger {
  return pino({ level }, pino.destination(2));
}
