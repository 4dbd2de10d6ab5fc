import type { RuleBook } from '#contract/rule-book.ts';

/** The providers whose models can be served with a key of one's own, in the order of the alphabet. */
export function providersOf({ models }: Pick<RuleBook, 'models'>): string[] {
  const rows = [...models.v3.models, ...models.v4.models];
  return [...new Set(rows.map(({ provider }) => provider))].toSorted();
}
