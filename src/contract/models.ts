import { getLimit, type RuleBook } from './rule-book.ts';

/** An API version with models. */
export type Version = keyof RuleBook['models'];

/** An API version whose requests have `thinkingLevel`. */
export type LevelVersion = keyof RuleBook['thinkingLevels'];

/** A row of spec/rules/models.yaml. */
export interface ModelRow {
  readonly name: string;
  readonly provider: string;
  readonly availability: string;
  /** The model that this name is an alias of; undefined for other rows. */
  readonly aliasOf?: string;
  /**
   * Provider and the provider's name of the model, as `provider/name`; undefined for a row that uses another row's
   * route.
   */
  readonly route?: string;
}

/** Returns the row of a model name without following aliases; undefined for an unknown name. */
export function modelRow(rules: RuleBook, version: Version, name: string): ModelRow | undefined {
  const rows: readonly ModelRow[] = rules.models[version].models;
  return rows.find((row) => row.name === name);
}

/**
 * Returns the model that an alias names (contract section 9, rule 5: normalised before validation). Returns any other
 * name unchanged. Only V3 has aliases.
 */
export function normaliseModel(rules: RuleBook, version: Version, name: string): string {
  return modelRow(rules, version, name)?.aliasOf ?? name;
}

/** A row of spec/rules/reasoning-mapping.yaml: models that share the mapping of levels to provider parameters. */
export type MappingFamily = RuleBook['reasoningMapping']['families'][number];

/** Returns the row that maps a model's levels to its provider; undefined in V4 and for a model without levels. */
export function mappingFamily(rules: RuleBook, version: Version, model: string): MappingFamily | undefined {
  if (version === 'v4') return undefined;
  const name = rules.thinkingLevels[version].find((row) => row.model === model)?.family;
  return rules.reasoningMapping.families.find(({ family }) => family === name);
}

/** Provider of a model, and the model's name at that provider. */
export interface ModelRoute {
  /** Name of the provider in spec/rules/providers.yaml. */
  readonly provider: string;
  /** Name of the model at the provider. */
  readonly name: string;
}

/**
 * Returns the route of a model (decision 34); aliases and legacy names use the route of the model that they name.
 * Returns null for an unknown name or a model without a route.
 */
export function modelRoute(rules: RuleBook, version: Version, model: string): ModelRoute | null {
  const name = normaliseModel(rules, version, model);
  const routesTo = mappingFamily(rules, version, name)?.routesTo;
  const target = version === 'v4' ? undefined : routesTo?.[version];
  const route = modelRow(rules, version, target ?? name)?.route;
  const [provider = '', ...rest] = route?.split('/') ?? [];
  return route === undefined ? null : { provider, name: rest.join('/') };
}

/** Route of the service to a provider: directly with the provider's key, or through a cloud platform. */
type Route = 'direct' | 'cloud';

/**
 * Returns whether the service can serve a model without the caller's own key (contract section 2, availability). A
 * service without any provider serves only the models with the availability `native`, with the offline planner
 * (decision 2).
 */
export function isNative({ availability, provider }: ModelRow, routes: ReadonlyMap<string, Route>): boolean {
  if (availability === 'own-key') return false;
  if (availability === 'native') return true;
  const route = routes.get(provider);
  return availability === 'cloud' ? route === 'cloud' : route !== undefined;
}

/**
 * Returns whether the service can call a model of a provider without the caller's own key; false for all models without
 * a configured provider. Returns true for an unknown name, which validation refuses.
 */
export function isCallable(
  rules: RuleBook,
  { version, model }: { readonly version: Version; readonly model: string },
  routes: ReadonlyMap<string, Route>,
): boolean {
  const row = modelRow(rules, version, normaliseModel(rules, version, model));
  if (row === undefined) return true;
  const provider = modelRoute(rules, version, model)?.provider;
  return provider !== undefined && routes.has(provider) && isNative({ ...row, provider }, routes);
}

/**
 * Returns the context size of a model in tokens, from spec/rules/providers.yaml; the limit `contextLimit` when the
 * provider publishes none or the model has no route.
 */
export function contextLimit(rules: RuleBook, version: Version, model: string): number {
  const route = modelRoute(rules, version, model);
  const name = route === null ? null : `${route.provider}/${route.name}`;
  const traits: readonly ModelTraits[] = rules.providers.traits;
  return traits.find((row) => row.route === name)?.contextTokens ?? getLimit(rules, 'contextLimit');
}

/** The route and the context length of a model: a row of `traits` in spec/rules/providers.yaml. */
interface ModelTraits {
  readonly route: string;
  /** Undefined where the provider publishes none. */
  readonly contextTokens?: number;
}
