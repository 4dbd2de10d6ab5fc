/*
 * The model providers, each through its official client: who serves which model of spec/rules/models.yaml, and clients that ask them.
 * Called by the engine, which knows of them only agent/model/, and by whoever composes a service.
 * create-providers.ts decides the route and makes a client; model-client.ts tries a call as often as it is worth; call/ is one exchange over
 * HTTP with everything that can go wrong with it; wires/ translate requests and answers, one folder for each family of providers.
 * Must not know of tasks, money or pages. Keys leave it in the requests to their own providers and nowhere else.
 */
export { providersFromEnvironment, type ProviderTable } from './configuration.ts';
export { type ProvidersOptions, createProviders } from './create-providers.ts';
