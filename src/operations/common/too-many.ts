import { type Problem, problem } from '#contract/problems.ts';

/** The refusal of one more sandbox than the project may have; nothing was created (companion 2 C1). */
export function tooMany({ active, limit }: { readonly active: number; readonly limit: number }): Problem {
  return problem('too_many_sessions', { active: String(active), limit: String(limit) });
}

/** The refusal of a browser whose turn to start would come too late; nothing was created (companion 2 C1). */
export function tooManyStarting({
  waiting,
  retryAfterMs,
}: {
  readonly waiting: number;
  readonly retryAfterMs: number;
}): Problem {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return problem('too_many_starting', { waiting: String(waiting), seconds: String(seconds) });
}
