import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { whenThere } from '#lib/maybe-promise.ts';
import type { Around } from '#api/http/around.ts';
import { refuse } from '#api/http/refuse.ts';

/** What decides which answers are faults. */
interface FaultOptions {
  /** Share of the successes that become an internal error, 0 to 1. */
  readonly faultRate: number;
  readonly random: () => number;
  readonly rules: RuleBook;
}

/** Answers some of what would succeed with an internal error. */
export function faulty({ faultRate, random, rules }: FaultOptions): Around {
  return (request, answer) =>
    whenThere(answer(request), (reply) =>
      reply.status >= 300 || random() >= faultRate
        ? reply
        : refuse(problem('internal_error', { requestId: request.id }), rules),
    );
}
