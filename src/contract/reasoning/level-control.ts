import type { JsonObject } from '#lib/json.ts';
import type { RuleBook } from '../rule-book.ts';
import { mappingFamily } from './mapping-family.ts';
import { nested } from './nested.ts';
import type { LevelVersion } from './version.ts';

/** A model of one generation and the level that its task was given. */
export interface ControlQuery {
  readonly version: LevelVersion;
  /** Normalised. */
  readonly model: string;
  /** null where none was given, which leaves the provider's own default. */
  readonly level: string | null;
}

/**
 * What a V2 or V3 level becomes at the provider (contract section 4, mapping), in the shape of the provider's own request; null sends
 * nothing. Throws a RangeError for a level that was to be refused before.
 */
export function levelControl(rules: RuleBook, { version, model, level }: ControlQuery): JsonObject | null {
  if (level === null) return null;
  const family = mappingFamily(rules, version, model);
  const levels: Readonly<Record<string, string | number | undefined>> = family?.levels ?? {};
  const value = levels[level];
  if (family === undefined || value === undefined)
    throw new RangeError(`found the level ${level} for ${model}, which has none of it`);
  // `off` is no value of the control: thinking itself is turned off, and no effort or budget stands beside it.
  if (value === 'off') return { thinking: { type: 'disabled' } };
  const control = nested(family.control, value);
  if (family.control === 'thinking.budget_tokens') return { thinking: { type: 'enabled', budget_tokens: value } };
  return family.thinking?.[version] === 'adaptive' ? { thinking: { type: 'adaptive' }, ...control } : control;
}
