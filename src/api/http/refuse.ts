import { type Problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { WireReply } from '#contract/http-messages.ts';

/** A problem as an answer. */
export function refuse(found: Problem, rules: RuleBook): WireReply {
  return renderProblem(found, rules);
}
