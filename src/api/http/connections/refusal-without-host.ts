import type { IncomingMessage } from 'node:http';
import { type Problem, problem } from '#contract/problems.ts';

/** Refuses a request of HTTP/1.1 that names no host, as every server has to (RFC 9112, 3.2); null for every other. */
export function refusalWithoutHost({ headers, httpVersion }: IncomingMessage): Problem | null {
  if (headers.host !== undefined || httpVersion !== '1.1') return null;
  return problem('request_not_http', { reason: 'it has no Host header' });
}
