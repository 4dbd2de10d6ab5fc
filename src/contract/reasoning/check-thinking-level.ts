import type { RuleBook } from '../rule-book.ts';
import { modelRow } from './model-row.ts';
import { normaliseModel } from './normalise-model.ts';
import type { Refusal } from './refusal.ts';
import type { LevelVersion } from './version.ts';

/** A model and a level of one generation. */
export interface LevelQuery {
  readonly version: LevelVersion;
  /** As written in the request; absent means the generation's default. */
  readonly model: string | undefined;
  /** null and absent ask for no level, which every model accepts. */
  readonly level: string | null | undefined;
}

/**
 * Refuses a level that the model does not support (contract section 4, thinking levels). An alias is normalised first and
 * the refusal names the normalised model. A model without a row is left to the check of the enumeration.
 */
export function checkThinkingLevel(
  rules: RuleBook,
  { version, model, level }: LevelQuery,
): Refusal<'unsupported_thinking_level'> | null {
  if (level === null || level === undefined) return null;
  const name = normaliseModel(rules, version, model ?? rules.models[version].default.model);
  const levels = rules.thinkingLevels[version].find((row) => row.model === name)?.levels;
  if (levels === undefined || levels.includes(level)) return null;
  const provider = modelRow(rules, version, name)?.provider ?? 'unknown';
  return {
    code: 'unsupported_thinking_level',
    values: { model: name, provider, level, supported: levels.join(', ') },
    path: ['thinkingLevel'],
  };
}
