import type { RuleBook } from '../rule-book.ts';
import { modelRow } from './model-row.ts';
import type { Version } from './version.ts';

/**
 * The name that an alias stands for (contract section 9, rule 5: normalised before validation); every other name, known or
 * not, is itself. Only V3 has aliases.
 */
export function normaliseModel(rules: RuleBook, version: Version, name: string): string {
  return modelRow(rules, version, name)?.aliasOf ?? name;
}
