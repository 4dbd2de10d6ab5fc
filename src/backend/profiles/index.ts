/*
 * Browser profiles: what a project keeps between browsers, under a name and a user of its own choice. Every generation of a
 * project sees the same profiles. Called by the operations on profiles and by whatever creates a session or browser with one.
 * Must not know how a generation shows a profile, nor load anything into a browser: that belongs to whoever starts it.
 */
export { createProfiles, type ProfileChanges, type Profiles } from './create-profiles.ts';
