/*
 * Browser profiles: the saved state that a browser loads, and the state that is saved at its end. Called by the hosts.
 * An archive holds the user data without caches, and state that Chromium does not write. It must not know where
 * archives are stored, who may use a profile, or other browsers.
 */
export type { BrowserProfile, BrowserState } from './browser-profile.ts';
export type { PermissionKeeper } from './permissions.ts';
export { createProfileKeeper, type ProfileKeeper, rescueProfile } from './profile-keeper.ts';
