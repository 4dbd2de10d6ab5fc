import { type Problem, isProblem, problem } from '#domain/problems.ts';
import type { ParsedRequest } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import { findSessionOr404 } from '../shared/find-session.ts';
import type { ShareRow } from '../shares/index.ts';

/** The share of the session that the path names. */
export async function findShareOr404(request: ParsedRequest, caller: Caller): Promise<ShareRow | Problem> {
  const session = await findSessionOr404(request, caller);
  if (isProblem(session)) return session;
  return (await caller.shares.find(session.id)) ?? problem('share_not_found', {});
}
