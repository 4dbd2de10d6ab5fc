import { isProblem, problem } from '#contract/problems.ts';
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
