/**
 * What the published package gives to programs: `svc-contract` is this, `svc-contract/client` the client alone (pages want that one), and
 * `svc-contract/conformance` the suite. Called by programs of partners. It adds nothing to what it names, and loads the mock only
 * when it is started.
 */
export * from '../client/index.ts';
export { type CheckClientSettings, checkClient } from './check-client.ts';
export { type MockSettings, type StartedMock, startMock } from './start-mock.ts';
