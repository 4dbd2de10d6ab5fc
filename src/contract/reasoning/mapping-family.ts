import type { RuleBook } from '../rule-book.ts';
import type { Version } from './version.ts';

/** A row of spec/rules/reasoning-mapping.yaml. */
export type MappingFamily = RuleBook['reasoningMapping']['families'][number];

/** The family by which a model's levels reach its provider; undefined for a model without levels and in V4, which has none. */
export function mappingFamily(rules: RuleBook, version: Version, model: string): MappingFamily | undefined {
  if (version === 'v4') return undefined;
  const name = rules.thinkingLevels[version].find((row) => row.model === model)?.family;
  return rules.reasoningMapping.families.find(({ family }) => family === name);
}
