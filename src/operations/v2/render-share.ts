import type { components } from '#generated/v2.ts';
import type { Caller } from '../common/caller.ts';
import type { ShareRow } from '#accounts/shares/index.ts';

/** The V2 record of a public share (companion 5.1). */
export function renderShare(share: ShareRow, { addresses }: Caller): components['schemas']['PublicShare'] {
  const { token, url } = addresses.share(share);
  return {
    shareToken: token,
    shareUrl: url,
    viewCount: share.view_count,
    lastViewedAt: share.last_viewed_at === null ? null : new Date(share.last_viewed_at).toISOString(),
  };
}
