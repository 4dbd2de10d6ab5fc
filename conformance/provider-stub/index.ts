/**
 * The provider stub: what a deployment that is judged calls in the place of its model providers. It answers each call in the
 * smallest way that lets a task end, refuses what the provider would refuse, and tells the suite what reached it. The runner
 * starts and ends it; checks read it through `context.providerStub`. It knows nothing of requirements.
 */
export { type Controls, controlsOf } from './request-controls.ts';
export { readCalls } from './provider-call.ts';
export type { ProviderCall } from '../core/provider-call.ts';
export { noStub } from './no-stub.ts';
export { callPath, markFor } from './mark.ts';
export { type ProviderStub, type StubOptions, startProviderStub } from './start-provider-stub.ts';
export { addressOf, placeOf } from './stub-address.ts';
