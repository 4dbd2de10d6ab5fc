/*
 * What stands in for browsers and agents where a service is only to look like one: browsers that take their time and are simulated, and an
 * agent that reaches whatever goal it is given. Called by the command line for the stateful mock. Must not decide anything that a client
 * could hold against a real service: states, money and refusals come from the engine.
 */
export { pacedAgent } from './paced-agent.ts';
export { pacedHost } from './paced-host.ts';
export { createStandIn } from './create-stand-in.ts';
