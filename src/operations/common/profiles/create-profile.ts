import type { Operation } from '../../operation.ts';
import type { ProfileChanges } from '#accounts/profiles/index.ts';
import type { ProfileRow } from '#store/profiles.ts';
import type { Caller } from '../caller.ts';
import { bodyOf } from './read-changes.ts';
import { renderProfile } from './render-profile.ts';

/** POST /profiles (companion 4.9). */
export const createProfile: Operation<Caller, ProfileChanges, ProfileRow> = {
  decide: (request) => bodyOf(request, 'ProfileRequest'),
  apply: (chosen, { profiles, scope }) => profiles.create(scope.projectId, chosen),
  render: (profile) => ({ status: 201, body: renderProfile(profile) }),
};
