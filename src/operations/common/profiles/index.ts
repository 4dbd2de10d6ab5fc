/*
 * The operations on profiles, which every generation binds as they are: their documents say the same in V2, V3 and V4
 * (companion 5.1, 6.1 and 7.1). Called by the handlers of a generation. Must not import a generation.
 */
export { createProfile } from './create-profile.ts';
export { deleteProfile } from './delete-profile.ts';
export { getProfile } from './get-profile.ts';
export { listProfiles } from './list-profiles.ts';
export { updateProfile } from './update-profile.ts';
