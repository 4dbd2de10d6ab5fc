import type { ShareRow } from '#store/queries/shares.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { components } from '#generated/v2.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { RequestContext } from '../common/request-context.ts';
import { findSessionOr404 } from '../common/sessions.ts';
import type { Operation, ParsedRequest } from '../operation.ts';

/**
 * Shares a session: POST /sessions/{session_id}/public-share (companion 5.1). Responds with 201 and the new or existing
 * share.
 */
export const createPublicShare: Operation<RequestContext, SessionRow, ShareRow> = {
  decide: findSessionOr404,
  apply: async (session, { shares }) => (await shares.create(session.id)) ?? problem('session_not_found', {}),
  render: (share, context) => ({ status: 201, body: renderShare(share, context) }),
};

/** Returns the share of a session: GET /sessions/{session_id}/public-share (companion 5.1). */
export const getPublicShare: Operation<RequestContext, ShareRow, ShareRow> = {
  decide: findShareOr404,
  apply: async (share) => share,
  render: (share, context) => ({ status: 200, body: renderShare(share, context) }),
};

/**
 * Removes the share of a session: DELETE /sessions/{session_id}/public-share (companion 5.1). The share URL stops
 * working.
 */
export const deletePublicShare: Operation<RequestContext, ShareRow, null> = {
  decide: findShareOr404,
  apply: async (share, { shares }) => ((await shares.remove(share.sessionId)) ? null : problem('share_not_found', {})),
  render: () => ({ status: 204, body: undefined }),
};

/** Returns the share of the session in the path, or a 404 problem. */
async function findShareOr404(request: ParsedRequest, context: RequestContext): Promise<ShareRow | Problem> {
  const session = await findSessionOr404(request, context);
  if (isProblem(session)) return session;
  return (await context.shares.find(session.id)) ?? problem('share_not_found', {});
}

/** Renders a public share (companion 5.1). */
function renderShare(share: ShareRow, { addresses }: RequestContext): components['schemas']['PublicShare'] {
  const { token, url } = addresses.share(share);
  return {
    shareToken: token,
    shareUrl: url,
    viewCount: share.viewCount,
    lastViewedAt: share.lastViewedAt === null ? null : new Date(share.lastViewedAt).toISOString(),
  };
}
