/*
 * Profiles of browsers: what a browser is started from, and what is kept when it has ended. Called by the hosts. An archive holds
 * the user data without caches and, beside them, what Chromium never writes down. Must not know where archives lie, who may
 * use a profile, nor that there is more than one browser.
 */
export type { BrowserProfile, BrowserState } from './browser-profile.ts';
export type { PermissionKeeper } from './permissions.ts';
export { createProfileKeeper, type ProfileKeeper, rescueProfile } from './profile-keeper.ts';
