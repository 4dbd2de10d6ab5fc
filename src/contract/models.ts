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
   * Name of the provider and of the model at the provider, as `provider/name`; undefined for a row that uses the route
   * of another row.
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

/**
 * Returns the row that maps the thinking levels of a model to parameters of its provider; undefined in V4 and for a
 * model without levels.
 */
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
 * Returns the provider of a model, and the name of the model at this provider (decision 34). An alias or a legacy name
 * has the route of the model that it stands for. Returns null for an unknown name and for a model without a route.
 */
export function modelRoute(rules: RuleBook, version: Version, model: string): ModelRoute | null {
  const name = normaliseModel(rules, version, model);
  const routesTo = mappingFamily(rules, version, name)?.routesTo;
  const target = version === 'v4' ? undefined : routesTo?.[version];
  const route = modelRow(rules, version, target ?? name)?.route;
  const [provider = '', ...rest] = route?.split('/') ?? [];
  return route === undefined ? null : { provider, name: rest.join('/') };
}

/** How the service reaches a provider: directly with a key of the provider, or through a cloud platform. */
type Route = 'direct' | 'cloud';

/**
 * Returns whether the service can serve a model without an own key of the project (contract section 2, availability).
 * Models with the availability `native` are always served: without a provider, the offline planner works on their tasks
 * (decision 2).
 */
export function isNative({ availability, provider }: ModelRow, routes: ReadonlyMap<string, Route>): boolean {
  if (availability === 'own-key') return false;
  if (availability === 'native') return true;
  const route = routes.get(provider);
  return availability === 'cloud' ? route === 'cloud' : route !== undefined;
}

/**
 * Returns whether the service can call a model at a provider without an own key of the project; false if the provider
 * of the model is not configured. Returns true for an unknown name, which validation refuses.
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
 * Returns the context size of a model in tokens from spec/rules/providers.yaml. Returns the limit `contextLimit` if the
 * provider publishes no size or the model has no route.
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
  /** Context size of the model in tokens; undefined if the provider publishes none. */
  readonly contextTokens?: number;
}
