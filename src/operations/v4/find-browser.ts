import { type Problem, problem } from '#contract/problems.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { BrowserRow } from '#store/browsers.ts';

/** The browser that the path names; one of another project does not exist for the caller. */
export async function findBrowserOr404(
  request: ParsedRequest,
  { browsers, scope }: Caller,
): Promise<BrowserRow | Problem> {
  const found = await browsers.find(scope.projectId, request.path['id'] ?? '');
  return found ?? problem('session_not_found', {});
}
