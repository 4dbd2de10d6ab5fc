import type { RuleBook } from './rule-book.ts';

/** The number of a row of spec/rules/limits.yaml, in the row's unit; throws when there is no such row with one value. */
export function limitOf(rules: RuleBook, name: string): number {
  const row = rules.limits.limits.find((limit) => limit.limit === name);
  if (row?.value === undefined) throw new Error(`limits: no value for ${name}`);
  return row.value;
}
