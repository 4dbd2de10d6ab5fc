import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { ShareRow } from '#accounts/shares/index.ts';
import { findShareOr404 } from './find-share.ts';
import { renderShare } from './render-share.ts';

/** GET /sessions/{session_id}/public-share (companion 5.1). */
export const getPublicShare: Operation<Caller, ShareRow, ShareRow> = {
  decide: findShareOr404,
  apply: async (share) => share,
  render: (share, caller) => ({ status: 200, body: renderShare(share, caller) }),
};
