import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { ParsedRequest } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import type { MessageRow } from '#store/queue.ts';

/** The message that the path names, in a session that the caller may see. */
export async function findMessageOr404(request: ParsedRequest, caller: Caller): Promise<MessageRow | Problem> {
  const session = await findSessionOr404(request, caller);
  if (isProblem(session)) return session;
  const message = await caller.engine.findMessage(session, Number(request.path['message_id']));
  return message ?? problem('message_not_found', {});
}
