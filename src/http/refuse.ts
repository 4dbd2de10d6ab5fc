import { type Problem, renderProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { WireReply } from './wire.ts';

/** A problem as an answer. */
export function refuse(found: Problem, rules: RuleBook): WireReply {
  return renderProblem(found, rules);
}
