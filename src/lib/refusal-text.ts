import { randomUUID } from 'node:crypto';
import { guardHeaders } from './guard-headers.ts';
import { STATUS_CODES } from './node-http.ts';

/** Writes a refusal as the HTTP response that ends its connection. It carries a new request id, because the request was never read. */
export function refusalText({ status, body }: { readonly status: number; readonly body: unknown }): string {
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${randomUUID()}`,
    ...Array.from(guardHeaders, ([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}
