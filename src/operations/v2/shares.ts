import { problem, type Problem, isProblem } from '#contract/problems.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/sessions.ts';
import type { ShareRow } from '#accounts/shares.ts';
import type { SessionRow } from '#store/schema.ts';
import type { components } from '#generated/v2.ts';

/** POST /sessions/{session_id}/public-share (companion 5.1): 201 with the share that the session has from now on. */
export const createPublicShare: Operation<Caller, SessionRow, ShareRow> = {
  decide: findSessionOr404,
  apply: async (session, { shares }) => (await shares.create(session.id)) ?? problem('session_not_found', {}),
  render: (share, caller) => ({ status: 201, body: renderShare(share, caller) }),
};

/** GET /sessions/{session_id}/public-share (companion 5.1). */
export const getPublicShare: Operation<Caller, ShareRow, ShareRow> = {
  decide: findShareOr404,
  apply: async (share) => share,
  render: (share, caller) => ({ status: 200, body: renderShare(share, caller) }),
};

/** DELETE /sessions/{session_id}/public-share (companion 5.1): the address shows nothing any more. */
export const deletePublicShare: Operation<Caller, ShareRow, null> = {
  decide: findShareOr404,
  apply: async (share, { shares }) => ((await shares.remove(share.session_id)) ? null : problem('share_not_found', {})),
  render: () => ({ status: 204, body: undefined }),
};

/** The share of the session that the path names. */
async function findShareOr404(request: ParsedRequest, caller: Caller): Promise<ShareRow | Problem> {
  const session = await findSessionOr404(request, caller);
  if (isProblem(session)) return session;
  return (await caller.shares.find(session.id)) ?? problem('share_not_found', {});
}

/** The V2 record of a public share (companion 5.1). */
function renderShare(share: ShareRow, { addresses }: Caller): components['schemas']['PublicShare'] {
  const { token, url } = addresses.share(share);
  return {
    shareToken: token,
    shareUrl: url,
    viewCount: share.view_count,
    lastViewedAt: share.last_viewed_at === null ? null : new Date(share.last_viewed_at).toISOString(),
  };
}
