import type { Duplex } from 'node:stream';
import type { Problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { refusalText } from '#http/refusal-text.ts';

/** Answers an upgrade request with a refusal in HTTP and ends the connection. */
export function refuseUpgrade(socket: Duplex, found: Problem, rules: RuleBook): void {
  socket.once('finish', () => socket.destroy());
  socket.end(refusalText(found, rules));
}
