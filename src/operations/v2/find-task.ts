import { type Problem, problem } from '#contract/problems.ts';
import { type Soon, whenThere } from '#lib/maybe-promise.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';

/** The task that the path names; one of another project or generation does not exist for the caller. */
export function findTaskOr404(request: ParsedRequest, { engine, scope }: Caller): Soon<RunOfSession | Problem> {
  const found = engine.findRun(scope, request.path['task_id'] ?? '');
  return whenThere(found, (task) => task ?? problem('task_not_found', {}));
}
