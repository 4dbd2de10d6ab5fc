import { type Problem, isProblem, problem } from '#domain/problems.ts';
import type { ParsedRequest } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { MessageRow } from '../storage/queue.ts';
import type { SessionRow } from '../storage/sessions.ts';

/** The session that the path names; one of another project or generation does not exist for the caller. */
export async function findSessionOr404(
  request: ParsedRequest,
  { engine, scope }: Caller,
): Promise<SessionRow | Problem> {
  const session = await engine.find(scope, request.path['session_id'] ?? '');
  return session ?? problem('session_not_found', {});
}

/** The message that the path names, in a session that the caller may see. */
export async function findMessageOr404(request: ParsedRequest, caller: Caller): Promise<MessageRow | Problem> {
  const session = await findSessionOr404(request, caller);
  if (isProblem(session)) return session;
  const message = await caller.engine.findMessage(session, Number(request.path['message_id']));
  return message ?? problem('message_not_found', {});
}
