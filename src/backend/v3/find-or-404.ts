import { type Problem, problem } from '#domain/problems.ts';
import type { ParsedRequest } from '#http/operation.ts';
import type { SessionRow } from '../storage/sessions.ts';
import type { Caller } from '../shared/caller.ts';

/** The session that the path names; one of another project or generation does not exist for the caller. */
export async function findOr404(request: ParsedRequest, caller: Caller): Promise<SessionRow | Problem> {
  const session = await caller.engine.find(caller.scope, request.path['session_id'] ?? '');
  return session ?? problem('session_not_found', {});
}
