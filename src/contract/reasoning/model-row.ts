import type { RuleBook } from '../rule-book.ts';
import type { Version } from './version.ts';

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
