import { type Problem, problem } from '#contract/problems.ts';
import { checkThinkingLevel } from '#contract/reasoning/check-thinking-level.ts';
import type { Caller } from '../common/caller.ts';

/** Refuses a level that the model does not support, before anything is dispatched (contract section 7). */
export function checkLevel(
  { rules }: Caller,
  pair: { model: string; level: string | null | undefined },
): Problem | null {
  const refusal = checkThinkingLevel(rules, { version: 'v3', ...pair });
  return refusal === null ? null : problem(refusal.code, refusal.values, ['body', ...refusal.path]);
}
