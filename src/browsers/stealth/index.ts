/*
 * Stealth: hides marks of automation. Flags are used where possible, since they apply everywhere and leave no trace. A
 * DevTools client applies the rest to every page, frame and worker before its first script. Called by the local
 * browser. All sources of a value must agree: a mark removed only in the page is a new mark. Decision 33 lists what
 * stays visible.
 */
export { behindDisguise } from './behind-disguise.ts';
export { type BrowserIdentity, identityAt, identityOf } from './browser-identity.ts';
export { type Disguise, stealthFlags, wearDisguise } from './wear-disguise.ts';
