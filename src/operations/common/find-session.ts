import { type Problem, problem } from '#contract/problems.ts';
import { type Soon, whenThere } from '#lib/maybe-promise.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Caller } from './caller.ts';
import type { SessionRow } from '#store/sessions.ts';

/** The session that the path names; one of another project or generation does not exist for the caller. */
export function findSessionOr404(request: ParsedRequest, { engine, scope }: Caller): Soon<SessionRow | Problem> {
  const found = engine.find(scope, request.path['session_id'] ?? '');
  return whenThere(found, (session) => session ?? problem('session_not_found', {}));
}
