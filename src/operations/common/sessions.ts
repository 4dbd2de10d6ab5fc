import { type Problem, problem } from '#contract/problems.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import type { ParsedRequest, Operation } from '../operation.ts';
import type { RequestContext } from './request-context.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { NewSession } from '#sessions/create-session.ts';
import { defaultProxyCountry } from '#contract/screen.ts';

/**
 * Returns the session in the path, or a 404 problem. Sessions of other projects and API versions are treated as absent.
 */
export function findSessionOr404(
  request: ParsedRequest,
  { engine, scope }: RequestContext,
): MaybePromise<SessionRow | Problem> {
  const found = engine.find(scope, request.path['session_id'] ?? '');
  return whenResolved(found, (session) => session ?? problem('session_not_found', {}));
}

/**
 * Deletes a session: DELETE /sessions/{session_id} (companion 5.1, 6.1 and 7.1). Running and queued tasks are ended
 * first.
 */
export const deleteSession: Operation<RequestContext, SessionRow, null> = {
  decide: findSessionOr404,
  async apply(session, { engine }) {
    await engine.remove(session);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};

/**
 * Erases the data of a session: POST /sessions/{session_id}/purge of V2 and V4 (companion 3.1, 5.1 and 7.1). Refused
 * for a project without zero data retention. Responds when all data is erased.
 */
export const purgeSession: Operation<RequestContext, SessionRow, null> = {
  decide: (request, context) =>
    context.zeroDataRetention ? findSessionOr404(request, context) : problem('purge_not_allowed', {}),
  async apply(session, { engine }) {
    await engine.purge(session);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};

/** Returns the refusal of a follow-up to a session whose profile is in use by another session or browser; else null. */
export async function checkProfileFree(session: SessionRow, { engine }: RequestContext): Promise<Problem | null> {
  const holder = await engine.profileHolder(session);
  return holder === null ? null : problem('profile_in_use', { holder });
}

/** Profile id of a request. */
type ProfileId = string | null | undefined;

/**
 * Returns the refusal of a profile that the caller's project does not have; null for a known profile, and without an
 * id. Runs before anything is created (companion 3.1).
 */
export async function checkProfile(id: ProfileId, { profiles, scope }: RequestContext): Promise<Problem | null> {
  if (id === undefined || id === null) return null;
  const found = await profiles.find({ projectId: scope.projectId, id });
  return found === null ? problem('profile_not_found', {}) : null;
}

/**
 * Records the use of a profile by a new session or browser. Has no effect without a profile, or for a profile that was
 * deleted in the meantime.
 */
export async function useProfile(id: ProfileId, { profiles, scope }: RequestContext): Promise<void> {
  if (id !== undefined && id !== null) await profiles.markUsed({ projectId: scope.projectId, id });
}

/** Settings of {@link NewSession} that {@link oneShot} lacks, because each request sets them. */
type Named = 'task' | 'model';

/** Default settings of the sessions that V2 tasks and V4 runs create. */
export const oneShot: Omit<NewSession, Named> = {
  modelParams: null,
  thinkingLevel: null,
  keepAlive: false,
  codeMode: false,
  outputSchema: null,
  enableRecording: false,
  useOwnKey: false,
  profileId: null,
  workspaceId: null,
  proxyCountryCode: defaultProxyCountry,
  maxCostMicros: null,
  inbox: false,
  screen: null,
  startUrl: null,
  persistMemory: true,
  resumable: false,
};
