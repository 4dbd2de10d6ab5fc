import { limitOf } from '#contract/limit-of.ts';
import { type Problem, detailsOf, problem, validationProblem } from '#contract/problems.ts';
import { type ParamsQuery, listModelParamsRefusals } from '#contract/reasoning/check-model-params.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** Refuses modelParams that the model does not allow, one detail a value, before anything is dispatched (contract section 7). */
export function checkParams(rules: RuleBook, query: ParamsQuery): Problem | null {
  const refusals = listModelParamsRefusals(rules, query);
  if (refusals.length === 0) return null;
  const told = refusals.slice(0, limitOf(rules, 'requestFaults'));
  return validationProblem(
    told.flatMap(({ code, values, path }) => detailsOf(problem(code, values, ['body', ...path]), rules)),
  );
}
