import { exceedingAnswer, faultAfter } from './answer-limits.ts';
import type { Answer } from '../core/transport.ts';

/** Messages of `node:http` for a connection that the server closed; `fetch` has the message "other side closed". */
const closed: ReadonlySet<string> = new Set(['socket hang up', 'aborted']);

/** Returns the reason for a missing response in a few words. */
export function faultText(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') return faultAfter(timeoutMs);
  const cause = error.cause instanceof Error ? error.cause : error;
  if ('code' in cause && cause.code === 'ERR_IP_BLOCKED')
    return 'the suite sends no request to a link-local address that a response names';
  if (closed.has(cause.message)) return 'other side closed';
  // A refused connection to several addresses is an AggregateError with an empty message.
  if (cause.message === '' && 'code' in cause) return String(cause.code);
  const [, refusal] = /SSL routines:[^:]*:([^:]+):/.exec(cause.message) ?? [];
  // Node adds advice for its own users behind a semicolon.
  return refusal === undefined ? cause.message.replace(/; if the root CA .*$/s, '') : `TLS: ${refusal}`;
}

/** Error codes of `node:http` and `fetch` for response headers that are too long. */
const headersTooLong: ReadonlySet<unknown> = new Set(['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW']);

/**
 * Converts an error of the HTTP client to a response. Headers that are too long count as an exceeded limit, all other
 * errors as network faults.
 */
export function faultAnswer(error: Error, timeoutMs: number): Answer {
  const cause = error.cause instanceof Error ? error.cause : error;
  if ('code' in cause && headersTooLong.has(cause.code)) {
    return exceedingAnswer({ limit: 'answerHeaders', status: 0, headers: {}, bytes: Buffer.alloc(0) });
  }
  return { status: 0, headers: {}, body: '', fault: faultText(error, timeoutMs) };
}

/** Returns advice for a failed connection if the cause is TLS or a wrong URL scheme; undefined for any other cause. */
export function connectionAdvice(address: URL, reason: string): string | undefined {
  const isSecure = ['https:', 'wss:'].includes(address.protocol);
  const [plain, secure] = address.protocol.startsWith('ws') ? ['ws://', 'wss://'] : ['http://', 'https://'];
  if (!isSecure)
    return closedByTls.test(reason)
      ? `see that the service runs; if its port speaks TLS, pass ${secure} in place of ${plain}`
      : undefined;
  if (notTls.test(reason)) return `pass ${plain} in place of ${secure}: the port does not speak TLS`;
  if (/expired|HAS_EXPIRED|NOT_YET_VALID/i.test(reason))
    return 'renew the certificate of the service, or correct the clock of this machine';
  if (/altnames|ALTNAME/i.test(reason)) return 'pass the name that the certificate of the service is made for';
  return untrusted.test(reason) ? 'pass --ca FILE with the authority of the certificate in PEM' : undefined;
}

/**
 * Matches the fault of a plain HTTP request to a TLS port. The last alternative is the text of a 400 response of nginx.
 */
const closedByTls =
  /other side closed|ECONNRESET|socket hang up|Parse Error|plain HTTP request was sent to HTTPS port/i;
const notTls = /wrong version number|WRONG_VERSION_NUMBER|packet length too long|PACKET_LENGTH_TOO_LONG|EPROTO/i;
const untrusted = /certificate|self.signed|ISSUER_CERT|LEAF_SIGNATURE/i;
