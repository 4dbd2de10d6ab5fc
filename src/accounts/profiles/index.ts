/*
 * Browser profiles: what a project keeps between browsers, under a name and a user of its own choice. Every generation of a
 * project sees the same profiles. Called by the operations on profiles and by whatever creates a session or browser with one.
 * What browsers leave in them lies sealed in the blob store (`browser-profiles.ts`); one holder at a time has a lease on each.
 * Must not know how a generation shows a profile, nor what the state of a browser consists of: that belongs to the host.
 */
export { type BrowserProfiles, createBrowserProfiles } from './browser-profiles.ts';
export { ProfileInUse } from './profile-in-use.ts';
export { createProfiles, type ProfileChanges, type Profiles } from './create-profiles.ts';
