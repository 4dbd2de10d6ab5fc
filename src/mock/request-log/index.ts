/*
 * The request log of the mocks: every call of the interface, what is wrong with it, and the sentences of the contract that it kept or broke.
 * Called by both mocks, which have their requests pass through `watchCalls`; the page is built of src/pages/request-log. It judges by what went
 * over the network alone, and must not know who answered, keep a secret, or be reached from another machine.
 */
export { addLogRoutes, type ResponsesOf } from './log-routes.ts';
export type { CallLog } from './create-call-log.ts';
export { createUsualLog } from './watch-calls.ts';
