import type { JsonObject } from '#lib/json.ts';

/** A V2 or V3 level of a model. */
export interface LevelCell {
  readonly generation: 'v2' | 'v3';
  readonly model: string;
  readonly level: string;
}

const budgets: Readonly<Record<string, number>> = { disabled: 0, low: 1024, medium: 4096, high: 8192 };

/** Model families of the contract's mapping, written a second time so that a wrong row of the tables is noticed. */
const families: readonly { readonly models: RegExp; readonly controls: (cell: LevelCell) => JsonObject }[] = [
  {
    // gemini-3-flash, and names that the contract assigns to no family: svc names, later flash models and the latest
    // aliases.
    models:
      /^(?:svc-llm|svc-2\.0|svc-mini|gemini-3-flash(?:-preview)?|gemini-3\.5-flash|gemini-flash(?:-lite)?-latest)$/,
    controls: ({ level }) => ({ thinkingConfig: { thinkingLevel: level === 'disabled' ? 'minimal' : level } }),
  },
  {
    models: /^gemini-3(?:\.1)?-pro(?:-preview)?$/,
    controls: ({ level }) => ({ thinkingConfig: { thinkingLevel: level } }),
  },
  { models: /^gemini-2\.5-/, controls: ({ level }) => ({ thinkingConfig: { thinkingBudget: budgets[level] ?? -1 } }) },
  {
    models: /^(?:claude-haiku-4\.5|claude-(?:sonnet|opus)-4-(?:5-)?20\d{6})$/,
    controls: ({ level }) => ({
      thinking: level === 'disabled' ? { type: 'disabled' } : { type: 'enabled', budget_tokens: budgets[level] ?? -1 },
    }),
  },
  {
    models: /^(?:claude-|svc-max|svc-ultra)/,
    controls: ({ generation, level }) => {
      if (level === 'disabled') return { thinking: { type: 'disabled' } };
      const effort = { output_config: { effort: level } };
      return generation === 'v3' ? { thinking: { type: 'adaptive' }, ...effort } : effort;
    },
  },
  {
    models: /^(?:gpt-5|o3|o4)/,
    controls: ({ level }) => ({ reasoning: { effort: level === 'disabled' ? 'none' : level } }),
  },
  { models: /^glm-/, controls: ({ level }) => ({ thinking: { type: level === 'disabled' ? 'disabled' : 'enabled' } }) },
];

/**
 * Returns the provider parameters that the contract requires for a level. Throws for a model that the contract's
 * mapping does not cover.
 */
export function expectedControls(cell: LevelCell): JsonObject {
  const family = families.find(({ models }) => models.test(cell.model));
  if (family === undefined) throw new Error(`found no family for ${cell.model}`);
  return family.controls(cell);
}
