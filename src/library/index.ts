/**
 * Entry of the published package `svc-contract`: the client, the judgement of clients, and the mocks.
 * `svc-contract/client` is the client alone, for pages; `svc-contract/conformance` is the suite. Programs of partners
 * import it. It adds no behaviour of its own, and loads a mock only when a program starts it.
 */
export * from '../client/index.ts';
export { type CheckClientSettings, checkClient } from './check-client.ts';
export { type MockSettings, type StartedMock, startMock } from './start-mock.ts';
