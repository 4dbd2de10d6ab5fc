/**
 * A typed client of the three generations: openapi-fetch over the generated types. Called by programs of partners as
 * `svc-contract/client`, in Node and in pages: it imports nothing of Node, and of ours only types and the few facts of
 * generated/client-facts.ts. It decides nothing that the service decides: what it refuses by itself are the rules that the
 * contract has for client libraries.
 */
export type { Call, Calls, ClientOptions } from './calls.ts';
export { ClientFault, ServiceError, WaitTimeout } from './errors.ts';
export { type Client, createClient } from './create-client.ts';
export type { Task, V2Client } from './v2-client.ts';
export type { Session, V3Client } from './v3-client.ts';
export type { CreateRun, Run, V4Client } from './v4-client.ts';
export type { WaitOptions } from './wait-until.ts';
