/**
 * Judges programs that use the service, by the rules of spec/requirements with `side: client`. A program is started once for each trial of
 * spec/rules/client-scenarios.yaml, behind a proxy that records its requests and puts faults in. Called by `svc check-client` and by
 * partners' own tests. It imports nothing of src/: the service that answers is opened by the caller.
 */
export { type CheckClientOptions, type OpenService, type ServiceUnderClient, checkClient } from './check-client.ts';
export { type Observation, type ObserveOptions, observeClient } from './observe.ts';
export { readClientToken } from './client-token.ts';
export { type ListedClientRule, explainClientRule, findClientRule, listClientRules } from './client-rules.ts';
