import { modelParams, models, thinkingLevels } from '#generated/rules.ts';
import type { ModelChoice } from '#agent/model/model-call.ts';
import { effectiveModelParams } from '#contract/model-controls.ts';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { expectedControls } from './expected-controls.ts';

/** One cell of a matrix, and the provider request that it must cause. */
export interface WireCell {
  readonly name: string;
  readonly choice: ModelChoice;
  /** The reasoning controls that the provider request must have. */
  readonly want: JsonObject;
}

/** Names of models at their providers, by their name in the contract; only names that `wireName` cannot derive. */
const wireNames: Readonly<Record<string, string>> = {
  'svc-llm': 'gemini-3-flash-preview',
  'svc-2.0': 'gemini-3-flash-preview',
  'svc-mini': 'gemini-3-flash-preview',
  'svc-max': 'claude-sonnet-5',
  'svc-ultra': 'claude-opus-4-6',
  'gemini-3-flash': 'gemini-3-flash-preview',
  'gemini-3-pro': 'gemini-3.1-pro-preview',
  'gemini-3-pro-preview': 'gemini-3.1-pro-preview',
  'gemini-3.1-pro': 'gemini-3.1-pro-preview',
  'claude-sonnet-4.6': 'claude-sonnet-5',
  'minimax-m3': 'MiniMax-M3',
  'llama-4-maverick-17b-128e-instruct': 'Llama-4-Maverick-17B-128E-Instruct-FP8',
};

/** Returns the provider's name of a model of the contract. */
export function wireName(model: string): string {
  return wireNames[model] ?? (model.startsWith('claude-') ? model.replaceAll('.', '-') : model);
}

/**
 * Returns all accepted cells of the matrices and mappings: each model and level of V2 and V3, each model, path and
 * value of V4, and models without settings.
 */
export function wireCells(): readonly WireCell[] {
  return [...levelCells('v2'), ...levelCells('v3'), ...paramCells()];
}

function levelCells(generation: 'v2' | 'v3'): readonly WireCell[] {
  const rows: readonly { readonly model: string; readonly levels: readonly string[] }[] = thinkingLevels[generation];
  return rows.flatMap(({ model, levels }) =>
    [...levels, null].map((level) => ({
      name: `${generation} ${model} ${level ?? 'without a level'}`,
      choice: { generation, model, thinkingLevel: level, modelParams: null, ownKey: null },
      want: level === null ? {} : expectedControls({ generation, model, level }),
    })),
  );
}

function paramCells(): readonly WireCell[] {
  const rows: readonly { readonly model: string; readonly path: string; readonly values: readonly string[] }[] =
    modelParams.matrix;
  const asked = rows.flatMap(({ model, path, values }) =>
    values.map((value) => {
      const want = nest(path, value);
      return { name: `v4 ${model} ${path} ${value}`, choice: runChoice(model, want), want };
    }),
  );
  const unasked = models.v4.models.flatMap(({ name }) => [
    { name: `v4 ${name} {}`, choice: runChoice(name, {}), want: {} },
    {
      name: `v4 ${name} without modelParams`,
      choice: runChoice(name, null),
      want: name === 'gpt-5.6-luna' ? { reasoning: { effort: 'xhigh' } } : {},
    },
  ]);
  return [...asked, ...unasked];
}

/** Returns the model and the settings that the service uses for a V4 run with these `modelParams`. */
function runChoice(model: string, params: JsonObject | null): ModelChoice {
  const effective = effectiveModelParams(defaultRules, { model, params });
  return { generation: 'v4', model, thinkingLevel: null, modelParams: effective, ownKey: null };
}

function nest(path: string, value: string): JsonObject {
  const [outer = '', inner = ''] = path.split('.');
  return { [outer]: { [inner]: value } };
}
