/** Values of V4 `modelParams` and levels of V2 and V3 that a model accepts, and the texts of refusals. */
import type { FaultId } from '../faults/index.ts';
import type { Problem } from './call.ts';
import { isObject } from './outputs.ts';
import { v4Controls, type Level, levels, providerFor } from './tables.ts';
import type { Faults, Json } from './world.ts';

/** One value below `modelParams`, with its path. */
export interface Leaf {
  readonly model: string;
  readonly path: string;
  readonly value: unknown;
  readonly isListed: boolean;
  /** Whether another leaf of the same body is accepted. */
  readonly hasGoodNeighbour: boolean;
}

const claudes = ['claude-opus-4.7', 'claude-opus-4.8', 'claude-opus-5', 'claude-sonnet-5'];

/** Predicates by fault id: the unlisted values of `modelParams` that the fault accepts. */
const takenLeaves: Partial<Record<FaultId, (leaf: Leaf) => boolean>> = {
  'mp-gpt55-max': (leaf) => isLeaf(leaf, 'gpt-5.5 reasoning.effort max'),
  'mp-gpt56-minimal': (leaf) => isLeaf(leaf, 'gpt-5.6 reasoning.effort minimal'),
  'mp-sol-minimal': (leaf) => isLeaf(leaf, 'gpt-5.6-sol reasoning.effort minimal'),
  'mp-pro-minimal': (leaf) => isLeaf(leaf, 'gemini-3.1-pro thinkingConfig.thinkingLevel minimal'),
  'mp-flash-max': (leaf) => leaf.model.includes('flash') && leaf.value === 'max',
  'mp-opus47-effort-none': (leaf) => isLeaf(leaf, 'claude-opus-4.7 output_config.effort none'),
  'mp-opus5-thinking-enabled': (leaf) => isLeaf(leaf, 'claude-opus-5 thinking.type enabled'),
  'mp-display-full': (leaf) => leaf.path === 'thinking.display',
  'mp-unlisted-beside-listed': (leaf) => !leaf.isListed && leaf.hasGoodNeighbour,
  'mp-unlisted-nested': (leaf) => !leaf.isListed && leaf.path.includes('.') && leaf.hasGoodNeighbour,
  'mp-unlisted-alone': (leaf) => !leaf.isListed && !leaf.hasGoodNeighbour && accepts(leaf.model),
  'mp-budget-tokens': (leaf) => leaf.path === 'thinking.budget_tokens' || leaf.path === 'thinkingConfig.thinkingBudget',
  'mp-none-glm': (leaf) => leaf.model === 'glm-5.2',
  'mp-none-grok': (leaf) => leaf.model === 'grok-4.5',
  'mp-none-kimi': (leaf) => leaf.model === 'kimi-k3',
  'mp-none-minimax': (leaf) => leaf.model === 'minimax-m3',
  'mp-none-fable': (leaf) => leaf.model === 'claude-fable-5',
  'mp-number-value': (leaf) => leaf.isListed && typeof leaf.value === 'number',
  'mp-null-value': (leaf) => leaf.isListed && leaf.value === null,
  'mp-other-case': (leaf) => leaf.isListed && typeof leaf.value === 'string' && leaf.value !== leaf.value.toLowerCase(),
  'mp-empty-text': (leaf) => leaf.isListed && leaf.value === '',
  'mp-claude-any-effort': (leaf) => claudes.includes(leaf.model) && leaf.path === 'output_config.effort',
  'mp-claude-takes-reasoning': (leaf) => leaf.model.startsWith('claude') && leaf.path === 'reasoning.effort',
  'mp-gpt-takes-claude': (leaf) => leaf.model.startsWith('gpt') && leaf.path === 'output_config.effort',
  'ef-mp-second-path-unjudged': (leaf) => leaf.isListed && leaf.hasGoodNeighbour,
  'ef-mp-scalar-parent': (leaf) =>
    ['reasoning', 'thinking', 'output_config', 'thinkingConfig'].includes(leaf.path) && typeof leaf.value === 'string',
  'ef-mp-list-value': (leaf) => leaf.isListed && Array.isArray(leaf.value),
  'ef-mp-boolean-value': (leaf) => leaf.isListed && typeof leaf.value === 'boolean',
  'ef-mp-padded-value': (leaf) =>
    leaf.isListed && typeof leaf.value === 'string' && leaf.value !== '' && leaf.value.trim() !== leaf.value,
  'ef-mp-snake-gemini': (leaf) => leaf.model.startsWith('gemini') && leaf.path === 'thinking_config.thinking_level',
  'ef-mp-camel-claude': (leaf) => claudes.includes(leaf.model) && leaf.path === 'outputConfig.effort',
  'ef-mp-sibling-value': (leaf) =>
    leaf.path === 'thinking.display' && (leaf.value === 'adaptive' || leaf.value === 'disabled'),
  'pl-sonnet5-thinking-enabled': (leaf) => isLeaf(leaf, 'claude-sonnet-5 thinking.type enabled'),
  'pl-kimi-thinking-type': (leaf) => isLeaf(leaf, 'kimi-k3 thinking.type disabled'),
  'pl-fable-effort': (leaf) => isLeaf(leaf, 'claude-fable-5 output_config.effort high'),
  'mp-unchecked': () => true,
  'mp-luna-unchecked': (leaf) => leaf.model === 'gpt-5.6-luna',
  'mp-gemini36-unchecked': (leaf) => leaf.model === 'gemini-3.6-flash',
};

/** Predicates by fault id: the listed values of `modelParams` that the fault refuses. */
const refusedLeaves: Partial<Record<FaultId, (leaf: Leaf) => boolean>> = {
  'mp-refuses-luna-max': (leaf) => isLeaf(leaf, 'gpt-5.6-luna reasoning.effort max'),
  'mp-refuses-terra-none': (leaf) => isLeaf(leaf, 'gpt-5.6-terra reasoning.effort none'),
  'mp-refuses-gpt55-xhigh': (leaf) => isLeaf(leaf, 'gpt-5.5 reasoning.effort xhigh'),
  'mp-refuses-sonnet-display': (leaf) => leaf.model === 'claude-sonnet-5' && leaf.path === 'thinking.display',
  'mp-refuses-opus48-adaptive': (leaf) => isLeaf(leaf, 'claude-opus-4.8 thinking.type adaptive'),
  'mp-refuses-flash-minimal': (leaf) => leaf.model === 'gemini-3.5-flash' && leaf.value === 'minimal',
  'mp-refuses-pro-medium': (leaf) => leaf.model === 'gemini-3.1-pro' && leaf.value === 'medium',
  'pl-gpt56-max-refused': (leaf) => isLeaf(leaf, 'gpt-5.6 reasoning.effort max'),
  'pl-luna-none-refused': (leaf) => isLeaf(leaf, 'gpt-5.6-luna reasoning.effort none'),
  'pl-opus5-type-refused': (leaf) => leaf.model === 'claude-opus-5' && leaf.path === 'thinking.type',
  'pl-gemini36-minimal-refused': (leaf) => isLeaf(leaf, 'gemini-3.6-flash thinkingConfig.thinkingLevel minimal'),
  'mp-refuses-all': () => true,
};

/** Validates `modelParams` for a model and returns the problems. */
export function paramProblems(model: string, params: Json, faults: Faults): Problem[] {
  const controls = v4Controls.get(model) ?? {};
  const leaves = leavesIn(params, '');
  const isGood = ([path, value]: readonly [string, unknown]): boolean =>
    (controls[path] ?? []).some((one) => one === value);
  return leaves.flatMap(([path, value]) => {
    const hasGoodNeighbour = leaves.some((other) => other[0] !== path && isGood(other));
    const leaf: Leaf = { model, path, value, isListed: path in controls, hasGoodNeighbour };
    const isTaken = isGood([path, value]) ? !faults.some(refusedLeaves, leaf) : faults.some(takenLeaves, leaf);
    if (isTaken) return [];
    return [
      {
        loc: ['body', 'modelParams', ...path.split('.')],
        msg: paramMessage(leaf, controls[path] ?? [], faults),
        type: 'value_error',
      },
    ];
  });
}

function paramMessage(leaf: Leaf, values: readonly string[], faults: Faults): string {
  if (faults.has('msg-params-plain')) return 'modelParams not supported';
  const path = faults.has('msg-params-short-path') ? (leaf.path.split('.').at(-1) ?? '') : leaf.path;
  const quote = faults.has('msg-params-double-quotes') ? '"' : "'";
  const value = typeof leaf.value === 'string' ? leaf.value : JSON.stringify(leaf.value);
  const model = faults.has('pl-text-default-model') ? 'gpt-5.6-luna' : leaf.model;
  const equals = faults.has('pl-params-text-spaces') ? ' = ' : '=';
  const head = `Model "${model}" does not support modelParams.${path}${equals}${quote}${value}${quote}.`;
  return `${head} Supported values: ${shownValues(leaf, values, faults).join(', ')}`;
}

function shownValues({ model }: Leaf, values: readonly string[], faults: Faults): string[] {
  const listed = faults.has('msg-params-unsorted') ? [...values] : values.toSorted();
  if (faults.has('msg-params-one-short')) listed.pop();
  if (values.length > 0 && model === 'gpt-5.5' && faults.has('pl-text-other-family-values')) listed.splice(2, 0, 'max');
  return listed;
}

function leavesIn(value: Json, prefix: string): (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return isObject(inner) && Object.keys(inner).length > 0 ? leavesIn(inner, path) : [[path, inner] as const];
  });
}

function isLeaf({ model, path, value }: Leaf, wanted: string): boolean {
  return `${model} ${path} ${String(value)}` === wanted;
}

function accepts(model: string): boolean {
  return Object.keys(v4Controls.get(model) ?? {}).length > 0;
}

/** A model and the level that a request asks for. */
export interface Pair {
  readonly model: string;
  readonly level: unknown;
  readonly supported: readonly Level[];
  readonly generation: 'v2' | 'v3';
  readonly isFollowUp: boolean;
}

/** Predicates by fault id: the pairs that the fault accepts although the model does not support them. */
const takenPairs: Partial<Record<FaultId, (pair: Pair) => boolean>> = {
  'lv3-pro-medium': (pair) => isPair(pair, 'v3 gemini-3.1-pro medium'),
  'lv3-pro-old-medium': (pair) => isPair(pair, 'v3 gemini-3-pro medium'),
  'lv3-pro-disabled': (pair) => isPair(pair, 'v3 gemini-3.1-pro disabled'),
  'lv3-pro-old-disabled': (pair) => isPair(pair, 'v3 gemini-3-pro disabled'),
  'lv3-gpt5mini-disabled': (pair) => isPair(pair, 'v3 gpt-5-mini disabled'),
  'lv3-glm-low': (pair) => isPair(pair, 'v3 glm-5.2 low'),
  'lv3-glm-medium': (pair) => isPair(pair, 'v3 glm-5.2 medium'),
  'lv3-minimax-high': (pair) => isPair(pair, 'v3 minimax-m3 high'),
  'lv3-minimax-disabled': (pair) => isPair(pair, 'v3 minimax-m3 disabled'),
  'lv3-followup-unchecked': (pair) => pair.generation === 'v3' && pair.isFollowUp,
  'lv3-followup-medium': (pair) => pair.generation === 'v3' && pair.isFollowUp && pair.level === 'medium',
  'lv3-creation-unchecked': (pair) => pair.generation === 'v3' && !pair.isFollowUp,
  'lv2-gemini25pro-disabled': (pair) => isPair(pair, 'v2 gemini-2.5-pro disabled'),
  'lv2-pro-preview-medium': (pair) => isPair(pair, 'v2 gemini-3-pro-preview medium'),
  'lv2-pro31-preview-disabled': (pair) => isPair(pair, 'v2 gemini-3.1-pro-preview disabled'),
  'lv2-o3-disabled': (pair) => isPair(pair, 'v2 o3 disabled'),
  'lv2-o4mini-disabled': (pair) => isPair(pair, 'v2 o4-mini disabled'),
  'lv2-sonnet4-low': (pair) => isPair(pair, 'v2 claude-sonnet-4-20250514 low'),
  'lv2-sonnet45-high': (pair) => isPair(pair, 'v2 claude-sonnet-4-5-20250929 high'),
  'lv2-opus45-medium': (pair) => isPair(pair, 'v2 claude-opus-4-5-20251101 medium'),
  'lv2-gpt41-low': (pair) => isPair(pair, 'v2 gpt-4.1 low'),
  'lv2-gpt41mini-high': (pair) => isPair(pair, 'v2 gpt-4.1-mini high'),
  'lv2-glm-high': (pair) => isPair(pair, 'v2 glm-5.2 high'),
  'lv2-glm-disabled': (pair) => isPair(pair, 'v2 glm-5.2 disabled'),
  'lv2-minimax-medium': (pair) => isPair(pair, 'v2 minimax-m3 medium'),
  'lv2-llama-low': (pair) => isPair(pair, 'v2 llama-4-maverick-17b-128e-instruct low'),
  'lv2-claude37-high': (pair) => isPair(pair, 'v2 claude-3-7-sonnet-20250219 high'),
  'lv2-unchecked': (pair) => pair.generation === 'v2',
};

/** Predicates by fault id: the pairs that the fault refuses although the model supports them. */
const refusedPairs: Partial<Record<FaultId, (pair: Pair) => boolean>> = {
  'lv3-refuses-mini-disabled': (pair) => isPair(pair, 'v3 gemini-3-flash disabled'),
  'lv3-refuses-sonnet5-high': (pair) => isPair(pair, 'v3 claude-sonnet-5 high'),
  'lv3-refuses-opus48-low': (pair) => isPair(pair, 'v3 claude-opus-4.8 low'),
  'lv3-refuses-haiku-medium': (pair) => isPair(pair, 'v3 claude-haiku-4.5 medium'),
  'lv3-refuses-luna-disabled': (pair) => isPair(pair, 'v3 gpt-5.6-luna disabled'),
  'lv3-refuses-glm-high': (pair) => isPair(pair, 'v3 glm-5.2 high'),
  'lv3-refuses-pro-low': (pair) => isPair(pair, 'v3 gemini-3.1-pro low'),
  'lv3-refuses-every-disabled': (pair) => pair.generation === 'v3' && pair.level === 'disabled',
  'pl-haiku-high-refused': (pair) => isPair(pair, 'v3 claude-haiku-4.5 high'),
  'pl-opus48-disabled-refused': (pair) => isPair(pair, 'v3 claude-opus-4.8 disabled'),
  'pl-54mini-disabled-refused': (pair) => isPair(pair, 'v3 gpt-5.4-mini disabled'),
  'lv3-followup-refuses-all': (pair) => pair.generation === 'v3' && pair.isFollowUp,
  'lv2-refuses-default-medium': (pair) => isPair(pair, 'v2 svc-2.0 medium'),
  'lv2-refuses-flash-disabled': (pair) => isPair(pair, 'v2 gemini-2.5-flash disabled'),
  'lv2-refuses-opus5-high': (pair) => isPair(pair, 'v2 claude-opus-5 high'),
  'lv2-refuses-old-claude-disabled': (pair) => isPair(pair, 'v2 claude-sonnet-4-20250514 disabled'),
  'lv2-refuses-all': (pair) => pair.generation === 'v2',
};

/** Returns the validation problem of a level that a model does not support; null for a supported level. */
export function levelProblem(pair: Pair, faults: Faults): Problem | null {
  const isSupported = levels.some((level) => level === pair.level && pair.supported.includes(level));
  const isTaken = isSupported ? !faults.some(refusedPairs, pair) : faults.some(takenPairs, pair);
  if (isTaken) return null;
  return { loc: ['body', 'thinkingLevel'], msg: levelMessage(pair, faults), type: 'value_error' };
}

function levelMessage(pair: Pair, faults: Faults): string {
  if (faults.has('msg-level-plain')) return 'Unsupported thinking level';
  const member = faults.has('msg-level-camel') ? 'thinkingLevel' : 'thinking_level';
  const level = faults.has('msg-level-unquoted') ? String(pair.level) : `"${String(pair.level)}"`;
  const named = faults.has('pl-provider-google-everywhere') ? 'google' : providerFor(pair.model);
  const provider = faults.has('msg-level-no-provider') ? '' : ` (provider "${named}")`;
  const model = faults.has('msg-level-other-model') ? 'claude-opus-4.7' : pair.model;
  const listed = faults.has('msg-level-all-values') ? levels : pair.supported;
  const separator = faults.has('msg-level-semicolons') ? '; ' : ', ';
  const shown = faults.has('pl-level-upper-in-text') ? level.toUpperCase() : level;
  const end = faults.has('pl-level-text-full-stop') ? '.' : '';
  return `Model "${model}"${provider} does not support ${member}=${shown}. Supported values: ${listed.join(separator)}${end}`;
}

function isPair({ generation, model, level }: Pair, wanted: string): boolean {
  return `${generation} ${model} ${String(level)}` === wanted;
}
