/*
 * Keys of model providers that a project has stored to be served with (own keys). Called by the engine for each run, by V3 before a
 * dispatch, and by `svc admin provider-key`. Must not show a key to anybody but the provider: it is sealed at rest, and only its last
 * four characters are listed.
 */
export { type ProviderKeys, type ShownProviderKey, createProviderKeys } from './create-provider-keys.ts';
