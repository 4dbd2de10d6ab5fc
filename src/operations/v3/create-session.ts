import type { CreateCommand } from './create-command.ts';
import { limitOf } from '#contract/rule-book.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { SessionRow } from '#store/schema.ts';
import { useProfile, checkProfileFree } from '../common/sessions.ts';
import { tooMany } from '../common/refusals.ts';
import { bodyOf } from './body-of.ts';
import type { Caller } from '../common/caller.ts';
import { decideFollowUp } from './decide-follow-up.ts';
import { decideNewSession } from './decide-new-session.ts';
import { renderSession } from './render-session.ts';

/** POST /sessions: a new session, or with sessionId a follow-up task (contract section 4; companion 6.2). */
export const createSession: Operation<Caller, CreateCommand, SessionRow> = {
  decide(request, caller) {
    const body = bodyOf(request, 'CreateSession');
    return body.sessionId === undefined || body.sessionId === null
      ? decideNewSession(body, caller)
      : decideFollowUp({ body, sessionId: body.sessionId, clientGone: request.clientGone }, caller);
  },
  apply: (command, caller) => (command.kind === 'create' ? create(command.wanted, caller) : dispatch(command, caller)),
  render: (session, caller) => ({ status: 200, body: renderSession(session, caller) }),
};

async function create(wanted: NewSession, caller: Caller): Promise<SessionRow | Problem> {
  const created = await caller.engine.create(caller.scope, wanted);
  if ('tooMany' in created) return tooMany(created.tooMany);
  if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
  await useProfile(wanted.profileId, caller);
  return created.session;
}

/** Dispatches a follow-up. One for a session that still starts waits for its sandbox, within the limit `followUpWait`. */
async function dispatch(command: CreateCommand & { kind: 'followUp' }, caller: Caller): Promise<SessionRow | Problem> {
  const { engine, scope } = caller;
  const refusal = await checkProfileFree(command.session, caller);
  if (refusal !== null) return refusal;
  let dispatched = await engine.followUp(command.session, command.wanted);
  if (dispatched === null && command.session.status === 'created') {
    const wait = await engine.waitForSandbox(command.session, command.clientGone);
    if (wait === 'shuttingDown')
      return problem('shutting_down', { seconds: String(limitOf(caller.rules, 'followUpWait') / 1_000) });
    if (wait === 'moved') dispatched = await engine.followUp(command.session, command.wanted);
  }
  if (dispatched !== null) return 'tooMany' in dispatched ? tooMany(dispatched.tooMany) : dispatched.session;
  const now = await engine.find(scope, command.session.id);
  return now === null ? problem('session_not_found', {}) : problem('session_not_idle', { status: now.status });
}
