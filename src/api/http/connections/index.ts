/*
 * What a connection may do before it has sent a whole request: how long that may take, how large its headers may be, how many
 * connections one address may hold, and what it is told when it does otherwise. Used by the server alone; what a request
 * means is not known here.
 */
export { answerClientErrors } from './answer-client-errors.ts';
export { connectionOptions } from './connection-options.ts';
export { isFromThisMachine } from './is-from-this-machine.ts';
export { isLoopback } from './is-loopback.ts';
export { limitConnections } from './limit-connections.ts';
export { refusalWithoutHost } from './refusal-without-host.ts';
export { takeExpectations } from './take-expectations.ts';
export { type TrustedProxies, parseTrustedProxies } from './trusted-proxies.ts';
