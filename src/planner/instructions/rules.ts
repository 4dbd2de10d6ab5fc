import { FIELD_RULES } from './field-rules.ts';
import { PAGE_RULES } from './page-rules.ts';
import type { Rule } from './rule.ts';

/** Everything that is understood, in the order in which it is tried: the first rule that reads a segment wins. */
export const RULES: readonly Rule[] = [...PAGE_RULES.slice(0, 7), ...FIELD_RULES, ...PAGE_RULES.slice(7)];
