import type { ModelRow } from './model-row.ts';

/** How the service itself reaches a provider: with the provider's own key, or through a cloud platform. */
type Route = 'direct' | 'cloud';

/**
 * Whether the service serves a model by itself, with the routes that it has to providers (contract section 2, availability). A
 * service without any route has the offline planner as the route of the models that are native without a condition (decision 2).
 */
export function isNative({ availability, provider }: ModelRow, routes: ReadonlyMap<string, Route>): boolean {
  if (availability === 'own-key') return false;
  if (availability === 'native') return true;
  const route = routes.get(provider);
  return availability === 'cloud' ? route === 'cloud' : route !== undefined;
}
