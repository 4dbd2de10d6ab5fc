import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import type { ShareRow } from '#accounts/shares/index.ts';

/** The share of the session that the path names. */
export async function findShareOr404(request: ParsedRequest, caller: Caller): Promise<ShareRow | Problem> {
  const session = await findSessionOr404(request, caller);
  if (isProblem(session)) return session;
  return (await caller.shares.find(session.id)) ?? problem('share_not_found', {});
}
