import type { RuleBook } from '#contract/rule-book.ts';

/** How a provider differs from others that speak chat completions: a row of spec/rules/providers.yaml. */
export type Dialect = RuleBook['providers']['dialects'][number];
