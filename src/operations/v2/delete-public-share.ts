import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { ShareRow } from '#accounts/shares/index.ts';
import { findShareOr404 } from './find-share.ts';

/** DELETE /sessions/{session_id}/public-share (companion 5.1): the address shows nothing any more. */
export const deletePublicShare: Operation<Caller, ShareRow, null> = {
  decide: findShareOr404,
  apply: async (share, { shares }) => ((await shares.remove(share.session_id)) ? null : problem('share_not_found', {})),
  render: () => ({ status: 204, body: undefined }),
};
