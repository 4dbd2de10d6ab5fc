/**
 * An independent server of the three generations with broken variants, and the runner that has the suite judge them.
 * The server is written from the contract alone; it must not import the project's code, tables or documents.
 */
export { proveStranger } from './prove-stranger.ts';
