import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import type { ShareRow } from '#accounts/shares/index.ts';
import type { SessionRow } from '#store/sessions.ts';
import { renderShare } from './render-share.ts';

/** POST /sessions/{session_id}/public-share (companion 5.1): 201 with the share that the session has from now on. */
export const createPublicShare: Operation<Caller, SessionRow, ShareRow> = {
  decide: findSessionOr404,
  apply: async (session, { shares }) => (await shares.create(session.id)) ?? problem('session_not_found', {}),
  render: (share, caller) => ({ status: 201, body: renderShare(share, caller) }),
};
