import { type Logger, pino } from 'pino';

/** A log of JSON lines on standard error that never carries a key. */
export function createLog(level: string): Logger {
  return pino({ level, redact: ['req.headers["x-service-api-key"]'] }, pino.destination(2));
}
