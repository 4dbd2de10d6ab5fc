import type { ModelRoute } from '../model/model-providers.ts';

/** How one provider is reached. */
export interface ProviderAccess {
  readonly apiKey: string;
  /** Where its client sends requests, without a slash at the end. */
  readonly baseUrl: string;
  /** Whether that is the provider itself or a cloud platform that has its models. */
  readonly route: ModelRoute;
}

/** The providers that the service is configured with, by their names in spec/rules/providers.yaml. */
export type ProviderTable = ReadonlyMap<string, ProviderAccess>;
