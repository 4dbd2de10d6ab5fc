import { type Problem, problem } from '#domain/problems.ts';
import type { ParsedRequest } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { RunOfSession } from '../storage/runs.ts';

/** The run that the path names; one of another project or generation does not exist for the caller. */
export async function findRunOr404(request: ParsedRequest, { engine, scope }: Caller): Promise<RunOfSession | Problem> {
  const found = await engine.findRun(scope, request.path['run_id'] ?? '');
  return found ?? problem('run_not_found', {});
}
