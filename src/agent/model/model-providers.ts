import type { JsonObject } from '#lib/json.ts';
import type { ModelClient } from './model-call.ts';

/** Which model a task runs on, and how hard it thinks. */
export interface ModelChoice {
  readonly generation: 'v2' | 'v3' | 'v4';
  /** Normalised name of spec/rules/models.yaml. */
  readonly model: string;
  /** V2 and V3; null for the provider's default. */
  readonly thinkingLevel: string | null;
  /** V4: what goes to the provider unchanged; null in V2 and V3. */
  readonly modelParams: JsonObject | null;
  /** The caller's own key, where the task is to be served with it; null for the service's own route. */
  readonly ownKey: { readonly provider: string; readonly key: string } | null;
}

/** How the service itself reaches a provider: with the provider's own key, or through a cloud platform. */
export type ModelRoute = 'direct' | 'cloud';

/** The model providers that the service is configured with. */
export interface ModelProviders {
  /** A client for the choice; null where no route leads to it, and the offline planner works. */
  clientFor(choice: ModelChoice): Promise<ModelClient | null>;
  /** Route of each configured provider, by the provider column of spec/rules/models.yaml; empty without configuration. */
  readonly routes: ReadonlyMap<string, ModelRoute>;
}
