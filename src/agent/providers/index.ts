/*
 * Model providers through their official SDKs: routes for the models of spec/rules/models.yaml, and clients. The engine
 * knows only agent/model/. `create-providers.ts` selects the route; `model-client.ts` retries; `exchange.ts` runs one
 * HTTP exchange; `apis/` has an adapter per API. It must not know tasks, money or pages. Keys leave only in requests to
 * their own provider.
 */
export { providersFromEnvironment, type ProviderTable } from './configuration.ts';
export { type ProvidersOptions, createProviders } from './create-providers.ts';
