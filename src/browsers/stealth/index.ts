/*
 * Stealth: a browser that shows no marks of being automated. What flags can say is said by flags, since they hold everywhere
 * and leave no trace; the rest is told to every page, frame and worker by a DevTools client of our own before its first script
 * (page/ holds what is run there). Called by the browser of a host. What one place of a browser says must be what all others
 * say: a mark that is taken away in the page alone is a new mark. Decision 33 has what stays visible.
 */
export { behindDisguise } from './behind-disguise.ts';
export { type BrowserIdentity, identityAt, identityOf } from './browser-identity.ts';
export { type Disguise, stealthFlags, wearDisguise } from './wear-disguise.ts';
