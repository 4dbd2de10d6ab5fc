import { randomUUID } from 'node:crypto';

/** What stands in a log line and in a header without harm. */
const harmless = /^[A-Za-z0-9][A-Za-z0-9._~:@/+=-]{0,127}$/;

/** The id of a request: the caller's own (`X-Request-Id`), where it is a harmless token of at most 128 characters, else a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && harmless.test(given) ? given : randomUUID();
}
