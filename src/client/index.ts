/**
 * A typed client of the three generations: openapi-fetch over the generated types. Programs import the client as
 * `svc-contract/client`, in Node and in pages. The client therefore imports no Node modules, and of this project only
 * types and `generated/client-facts.ts`. The service decides what is valid; the client itself rejects only a missing
 * API key, and what the contract forbids client libraries to send.
 */
export type { Call, Calls, ClientOptions } from './calls.ts';
export { ClientFault, ServiceError, WaitTimeout } from './errors.ts';
export { type Client, createClient } from './create-client.ts';
export type { Task, V2Client } from './v2-client.ts';
export type { Session, V3Client } from './v3-client.ts';
export type { CreateRun, Run, V4Client } from './v4-client.ts';
export type { WaitOptions } from './wait-until.ts';
