import type { Updateable } from 'kysely';
import { type Problem, problem } from '#contract/problems.ts';
import type { ParsedRequest } from '../operation.ts';
import { flag, type SessionRow, type SessionTable } from '#store/schema.ts';
import type { Caller } from '../common/caller.ts';
import { ceilingOf } from '../common/check-settings.ts';
import { checkWorkspace } from '../common/workspace-operations.ts';
import { checkAvailability, checkBody, checkScript, sensitiveData, checkLevel } from './check-body.ts';
import type { CreateBody, CreateCommand } from './create-command.ts';
import { wantsOwnKey } from './decide-new-session.ts';

/** A follow-up as it was sent. */
interface FollowUpRequest {
  readonly body: CreateBody;
  readonly sessionId: string;
  readonly clientGone: ParsedRequest['clientGone'] | undefined;
}

/**
 * Decides a follow-up task. A `model` is ignored: the session keeps its own, and generated clients send the default of the schema. Existence comes before the pair, because a level is checked against the session's own model
 * (contract section 4, V3 follow-up rule 4); whether the session is idle is decided by the write itself.
 */
export async function decideFollowUp(
  { body, sessionId, clientGone }: FollowUpRequest,
  caller: Caller,
): Promise<CreateCommand | Problem> {
  const task = body.task ?? null;
  if (task === null) return problem('task_required', {}, ['body', 'task']);
  const refusedBody = await checkBody(body, caller);
  if (refusedBody !== null) return refusedBody;
  const session = await caller.engine.find(caller.scope, sessionId);
  if (session === null) return problem('session_not_found', {});
  const refusedWorkspace = await checkWorkspace(caller, body.workspaceId);
  if (refusedWorkspace !== null) return refusedWorkspace;
  const refusal =
    checkScript(body, session.workspace_id) ??
    checkLevel(caller, { model: session.model, level: body.thinkingLevel }) ??
    (await checkAvailability(caller, { model: session.model, ownKey: servesOwnKey(body, session) }));
  return (
    refusal ?? {
      kind: 'followUp',
      session,
      clientGone: clientGone?.() ?? never,
      wanted: { task, secrets: sensitiveData(body), settings: settingsOf(body, session) },
    }
  );
}

/** Never aborted: the request has no connection that can close. */
const never = new AbortController().signal;

/** A follow-up that says nothing of the key goes on as its session does. */
function servesOwnKey(body: CreateBody, session: SessionRow): boolean {
  const isSaid = body.useOwnKey !== undefined || body.use_own_key !== undefined;
  return isSaid ? wantsOwnKey(body) : session.use_own_key === 1;
}

/** Follow-up rules 1 to 3: absent keeps, a value sets, null clears; the other members that a follow-up replaces likewise. */
function settingsOf(body: CreateBody, session: SessionRow): Updateable<SessionTable> {
  return {
    ...(body.thinkingLevel === undefined ? {} : { thinking_level: body.thinkingLevel }),
    use_own_key: flag(servesOwnKey(body, session)),
    ...(body.keepAlive === undefined ? {} : { keep_alive: flag(body.keepAlive) }),
    ...(body.codeMode === undefined ? {} : { code_mode: flag(body.codeMode) }),
    ...(body.outputSchema === undefined
      ? {}
      : { output_schema: body.outputSchema === null ? null : JSON.stringify(body.outputSchema) }),
    ...(body.maxCostUsd === undefined ? {} : { max_cost_micros: ceilingOf(body.maxCostUsd) }),
  };
}
