import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from './node-http.ts';
import { type Problem, renderProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { guardHeaders } from './guard-headers.ts';

/** A refusal as it is written to a connection that ends with it: what is refused so has no id of its own, and gets one. */
export function refusalText(found: Problem, rules: RuleBook): string {
  const { status, body } = renderProblem(found, rules);
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
