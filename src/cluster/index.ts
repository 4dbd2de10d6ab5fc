/*
 * The processes of one service, and who of them owns what (decision 47). A browser lives in one process, its owner; what has to be done
 * there is a command, which is done at once by the only process of a service and carried over a bus among several. Called by whatever
 * has something that lives only in a process: the engine and the standalone browsers. Must not know what a command does.
 */
export type { BrowserCommand, SessionCommand } from './worker-bus.ts';
export type { Owners } from './owners.ts';
export type { Answer } from './owner-requests.ts';
export { type SharedService, type Sharing, openSharing } from './open-sharing.ts';
