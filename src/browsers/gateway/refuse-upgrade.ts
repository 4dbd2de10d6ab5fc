import type { Duplex } from 'node:stream';
import { type Problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { refusalText } from '#lib/http.ts';

/** Answers an upgrade request with a refusal in HTTP and ends the connection. */
export function refuseUpgrade(socket: Duplex, found: Problem, rules: RuleBook): void {
  socket.once('finish', () => socket.destroy());
  socket.end(refusalText(renderProblem(found, rules)));
}
