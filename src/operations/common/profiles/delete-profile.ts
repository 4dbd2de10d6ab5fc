import type { Operation } from '../../operation.ts';
import type { ProfileRef } from '#store/profiles.ts';
import type { Caller } from '../caller.ts';
import { profileRef } from './profile-ref.ts';

/** DELETE /profiles/{profile_id} (companion 5.1): the same answer whether it existed or not. */
export const deleteProfile: Operation<Caller, ProfileRef, null> = {
  decide: profileRef,
  async apply(profile, { profiles }) {
    await profiles.remove(profile);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
