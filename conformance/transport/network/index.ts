export { type Network, openNetwork } from './open-network.ts';
export type { NetworkOptions } from './route.ts';
