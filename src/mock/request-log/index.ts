/*
 * The request log of the mocks: every API call, its faults, and the sentences of the contract that it kept or violated.
 * Both mocks pass their requests through `watchCalls`; the page is in src/pages/request-log. It judges HTTP traffic
 * only, keeps no secrets, and is not reachable from other machines.
 */
export { addLogRoutes, type ResponsesOf } from './log-routes.ts';
export type { CallLog } from './create-call-log.ts';
export { createUsualLog } from './watch-calls.ts';
