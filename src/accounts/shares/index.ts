/*
 * Public shares of sessions: an unguessable address for each that is shared, and how often it was seen. Called by the V2
 * operations and by the page behind the address. A share ends with its session. Must not know how a page looks.
 */
export { createShares, type ShareRow, type Shared, type Shares } from './create-shares.ts';
