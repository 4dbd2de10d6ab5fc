import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from './caller.ts';

/**
 * An operation that costs something: a project whose credit is used up is refused with 402 before anything changes, after
 * everything that is wrong with the request itself and before what stands in its way now (companion 3.1; decision 19 credit).
 */
export function charged<Command, Result>(
  operation: Operation<Caller, Command, Result>,
): Operation<Caller, Command, Result> {
  return {
    async decide(request, caller) {
      const command = await operation.decide(request, caller);
      if (isProblem(command)) return command;
      return (await caller.isOutOfCredit()) ? problem('insufficient_credits', {}) : command;
    },
    apply: (command, caller) => operation.apply(command, caller),
    render: (result, caller) => operation.render(result, caller),
  };
}

/** An operation on what is kept: a project with zero data retention is refused with 403, whatever it names (companion 3.1). */
export function retaining<Command, Result>(
  operation: Operation<Caller, Command, Result>,
): Operation<Caller, Command, Result> {
  return {
    decide: (request, caller) =>
      caller.zeroDataRetention ? problem('no_retention', {}) : operation.decide(request, caller),
    apply: (command, caller) => operation.apply(command, caller),
    render: (result, caller) => operation.render(result, caller),
  };
}

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
