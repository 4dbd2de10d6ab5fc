import type { RuleBook } from './rule-book.ts';

/** A generation that has models. */
export type Version = keyof RuleBook['models'];

/** A generation whose requests carry thinkingLevel. */
export type LevelVersion = keyof RuleBook['thinkingLevels'];

/** One row of spec/rules/models.yaml. */
export interface ModelRow {
  readonly name: string;
  readonly provider: string;
  readonly availability: string;
  /** The name that the model stands for; absent unless it is an alias. */
  readonly aliasOf?: string;
  /** The provider that is asked and its own name of the model, as `provider/name`; absent for a name that takes the route of another. */
  readonly route?: string;
}

/** The row of a model as it is written, aliases not followed; undefined for a name that the generation does not know. */
export function modelRow(rules: RuleBook, version: Version, name: string): ModelRow | undefined {
  const rows: readonly ModelRow[] = rules.models[version].models;
  return rows.find((row) => row.name === name);
}

/**
 * The name that an alias stands for (contract section 9, rule 5: normalised before validation); every other name, known or
 * not, is itself. Only V3 has aliases.
 */
export function normaliseModel(rules: RuleBook, version: Version, name: string): string {
  return modelRow(rules, version, name)?.aliasOf ?? name;
}

/** A row of spec/rules/reasoning-mapping.yaml. */
export type MappingFamily = RuleBook['reasoningMapping']['families'][number];

/** The family by which a model's levels reach its provider; undefined for a model without levels and in V4, which has none. */
export function mappingFamily(rules: RuleBook, version: Version, model: string): MappingFamily | undefined {
  if (version === 'v4') return undefined;
  const name = rules.thinkingLevels[version].find((row) => row.model === model)?.family;
  return rules.reasoningMapping.families.find(({ family }) => family === name);
}

/** Who is asked for a model, and by which name. */
export interface ModelRoute {
  /** As in spec/rules/providers.yaml. */
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly name: string;
}

/**
 * The route of a model (decision 34): an alias and a legacy name take that of the name that they stand for. Null for a name that the
 * generation does not know or that has none.
 */
export function modelRoute(rules: RuleBook, version: Version, model: string): ModelRoute | null {
  const name = normaliseModel(rules, version, model);
  const routesTo = mappingFamily(rules, version, name)?.routesTo;
  const target = version === 'v4' ? undefined : routesTo?.[version];
  const route = modelRow(rules, version, target ?? name)?.route;
  const [provider = '', ...rest] = route?.split('/') ?? [];
  return route === undefined ? null : { provider, name: rest.join('/') };
}

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
