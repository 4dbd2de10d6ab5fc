import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from './caller.ts';

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
