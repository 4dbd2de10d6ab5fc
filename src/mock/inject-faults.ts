import type { Around } from '#api/http/hooks.ts';
import { problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { whenResolved } from '#lib/maybe-promise.ts';

/** Options of {@link injectFaults}. */
interface FaultOptions {
  /** Share of successful responses that are replaced by an internal error, 0 to 1. */
  readonly faultRate: number;
  readonly random: () => number;
  readonly rules: RuleBook;
}

/** Creates a hook that replaces a random share of the successful responses by an internal error. */
export function injectFaults({ faultRate, random, rules }: FaultOptions): Around {
  return (request, answer) =>
    whenResolved(answer(request), (reply) =>
      reply.status >= 300 || random() >= faultRate
        ? reply
        : renderProblem(problem('internal_error', { requestId: request.id }), rules),
    );
}

/** Creates a generator of random numbers from 0 to below 1 (mulberry32). Equal seeds give equal sequences. */
export function createRandom(seed: number): () => number {
  let state = (Math.trunc(seed) % 2 ** 32) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
