import { randomUUID } from 'node:crypto';

/**
 * The built-in HTTP module. An `import` statement reads every member of the module, which loads an HTTP client and adds
 * 40 ms to each start.
 */
const http = process.getBuiltinModule('node:http');

/** Creates an HTTP server. */
export const { createServer } = http;

/** Security headers of every response; a page that needs other values sets its own. */
export const guardHeaders: ReadonlyMap<string, string> = new Map([
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'no-store'],
]);

/** A refusal: its status, its body before serialisation, and further headers, such as `Retry-After`. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Formats a refusal as a raw HTTP/1.1 response with `Connection: close`. The request id in the response is new, because
 * the request was not read.
 */
export function refusalText({ status, body, headers = {} }: Refusal): string {
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${randomUUID()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...Array.from(guardHeaders, ([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}

/** Error code of a temporary failure (spec/rules/errors.yaml, status 503 or 507). */
export type UnavailableCode = 'database_away' | 'database_locked' | 'owner_silent' | 'storage_full';

/**
 * Thrown when a resource that a request needs is temporarily unavailable. The response names the seconds after which
 * the client retries.
 */
export class Unavailable extends Error {
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
