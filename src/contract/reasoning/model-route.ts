import type { RuleBook } from '../rule-book.ts';
import { mappingFamily } from './mapping-family.ts';
import { modelRow } from './model-row.ts';
import { normaliseModel } from './normalise-model.ts';
import type { Version } from './version.ts';

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
