/*
 * The agent that works with a model: it observes the page as an outline with element references, asks the model that stands in its
 * world, and does what that calls (tools/). Called by the engine through `Agent`.
 * What pages say is data: it goes to the model between two lines with a nonce (fence.ts), and nothing that it says changes what
 * tools may do. Must not know providers, prices or values of secrets: the world's door and guards do.
 */
export { type AgentLimits, agentLimits } from './options.ts';
export { createModelAgent } from './create-model-agent.ts';
