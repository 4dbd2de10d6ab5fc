import { type Problem, problem } from '#domain/problems.ts';
import { type Soon, whenThere } from '#domain/soon.ts';
import type { ParsedRequest } from '#http/operation.ts';
import type { Caller } from './caller.ts';
import type { SessionRow } from '../storage/sessions.ts';

/** The session that the path names; one of another project or generation does not exist for the caller. */
export function findSessionOr404(request: ParsedRequest, { engine, scope }: Caller): Soon<SessionRow | Problem> {
  const found = engine.find(scope, request.path['session_id'] ?? '');
  return whenThere(found, (session) => session ?? problem('session_not_found', {}));
}
