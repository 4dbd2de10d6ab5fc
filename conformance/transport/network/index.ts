export { type NetworkOptions, type Network, openNetwork } from './open-network.ts';
