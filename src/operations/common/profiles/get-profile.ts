import { problem } from '#contract/problems.ts';
import type { Operation } from '../../operation.ts';
import type { ProfileRow } from '#store/profiles.ts';
import type { Caller } from '../caller.ts';
import { profileRef } from './profile-ref.ts';
import { renderProfile } from './render-profile.ts';

/** GET /profiles/{profile_id} (companion 4.9). */
export const getProfile: Operation<Caller, ProfileRow, ProfileRow> = {
  async decide(request, caller) {
    return (await caller.profiles.find(profileRef(request, caller))) ?? problem('profile_not_found', {});
  },
  apply: async (profile) => profile,
  render: (profile) => ({ status: 200, body: renderProfile(profile) }),
};
