import { microsToDecimal } from '#contract/money.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Wraps an operation that costs money. Refuses a project without credit, and a key whose monthly limit is used up, with
 * 402. The check runs after `decide`, so that an invalid request gets its own refusal, and before `apply` changes
 * anything (companion 3.1; decision 19 credit).
 */
export function charged<Command, Result>(
  operation: Operation<RequestContext, Command, Result>,
): Operation<RequestContext, Command, Result> {
  return {
    async decide(request, context) {
      const command = await operation.decide(request, context);
      if (isProblem(command)) return command;
      if (await context.isOutOfCredit()) return problem('insufficient_credits', {});
      return (await checkKeySpend(context)) ?? command;
    },
    apply: (command, context) => operation.apply(command, context),
    render: (result, context) => operation.render(result, context),
  };
}

async function checkKeySpend({ keySpend }: Pick<RequestContext, 'keySpend'>): Promise<Problem | null> {
  const spend = await keySpend();
  if (spend === null || spend.spentMicros < spend.capMicros) return null;
  const [cap, spent] = [microsToDecimal(spend.capMicros), microsToDecimal(spend.spentMicros)];
  return problem('api_key_monthly_spend_limit_reached', { cap, spent });
}

/**
 * Wraps an operation on stored data. Refuses every request of a project with zero data retention with 403, before the
 * request is decided (companion 3.1).
 */
export function retaining<Command, Result>(
  operation: Operation<RequestContext, Command, Result>,
): Operation<RequestContext, Command, Result> {
  return {
    decide: (request, context) =>
      context.zeroDataRetention ? problem('no_retention', {}) : operation.decide(request, context),
    apply: (command, context) => operation.apply(command, context),
    render: (result, context) => operation.render(result, context),
  };
}

/**
 * Returns the refusal of a request for a new sandbox, because the project has `active` sandboxes and its limit is
 * `limit` (companion 2 C1).
 */
export function tooMany({ active, limit }: { readonly active: number; readonly limit: number }): Problem {
  return problem('too_many_sessions', { active: String(active), limit: String(limit) });
}

/**
 * Returns the refusal of a request for a new browser, because `waiting` browsers wait for their start already
 * (companion 2 C1).
 */
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
