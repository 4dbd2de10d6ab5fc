/**
 * The provider stub: a server that a target calls instead of its model providers. It gives each call the shortest
 * answer that lets a task end, rejects the calls that the provider would reject, and records the calls for the suite.
 * The runner starts and ends it; checks read it through `context.providerStub`. It must not know requirements.
 */
export { type Controls, readControls } from './request-controls.ts';
export { noStub } from './stub-reader.ts';
export type { ProviderCall } from '../core/provider-call.ts';
export { callPath, markFor } from './serve-stub.ts';
export { type ProviderStub, type StubOptions, startProviderStub } from './start-provider-stub.ts';
export { formatUrl, parsePlace } from './start-provider-stub.ts';
