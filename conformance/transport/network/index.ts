/**
 * The way to a target that stands behind a proxy or has certificates of its own authority: for requests and for automation
 * clients alike. Opened by the runner for one run. It never switches verification off and never reads the environment.
 */
export type { NetworkOptions } from './network-options.ts';
export { type Network, openNetwork } from './open-network.ts';
