import { STATUS_CODES } from 'node:http';
import { type Problem, renderProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';

/** A refusal as it is written to a connection that ends with it. */
export function refusalText(found: Problem, rules: RuleBook): string {
  const { status, body } = renderProblem(found, rules);
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}
