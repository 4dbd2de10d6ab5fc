import { problem } from '#contract/problems.ts';
import type { Operation } from '../../operation.ts';
import type { ProfileChanges } from '#accounts/profiles/index.ts';
import type { ProfileRef, ProfileRow } from '#store/profiles.ts';
import type { Caller } from '../caller.ts';
import { profileRef } from './profile-ref.ts';
import { bodyOf } from './read-changes.ts';
import { renderProfile } from './render-profile.ts';

interface Update {
  readonly profile: ProfileRef;
  readonly changes: ProfileChanges;
}

/** PATCH /profiles/{profile_id} (companion 4.9); whether it exists is decided by the write itself. */
export const updateProfile: Operation<Caller, Update, ProfileRow> = {
  decide: (request, caller) => ({ profile: profileRef(request, caller), changes: bodyOf(request, 'ProfileRequest') }),
  async apply({ profile, changes }, { profiles }) {
    return (await profiles.update(profile, changes)) ?? problem('profile_not_found', {});
  },
  render: (profile) => ({ status: 200, body: renderProfile(profile) }),
};
