import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Problem, renderProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';

/** Answers an upgrade request with a refusal in HTTP and ends the connection. */
export function refuseUpgrade(socket: Duplex, found: Problem, rules: RuleBook): void {
  const { status, body } = renderProblem(found, rules);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
