/** `modelParams` of V4: which values a model takes, and the text of the refusal. */
import type { FaultId } from '../faults/index.ts';
import type { Problem } from './call.ts';
import { isObject } from './outputs.ts';
import { V4_CONTROLS } from './tables.ts';
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

const CLAUDES = ['claude-opus-4.7', 'claude-opus-4.8', 'claude-opus-5', 'claude-sonnet-5'];

/** Values of `modelParams` that a fault takes. */
const TAKEN_LEAVES: Partial<Record<FaultId, (leaf: Leaf) => boolean>> = {
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
  'mp-claude-any-effort': (leaf) => CLAUDES.includes(leaf.model) && leaf.path === 'output_config.effort',
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
  'ef-mp-camel-claude': (leaf) => CLAUDES.includes(leaf.model) && leaf.path === 'outputConfig.effort',
  'ef-mp-sibling-value': (leaf) =>
    leaf.path === 'thinking.display' && (leaf.value === 'adaptive' || leaf.value === 'disabled'),
  'pl-sonnet5-thinking-enabled': (leaf) => isLeaf(leaf, 'claude-sonnet-5 thinking.type enabled'),
  'pl-kimi-thinking-type': (leaf) => isLeaf(leaf, 'kimi-k3 thinking.type disabled'),
  'pl-fable-effort': (leaf) => isLeaf(leaf, 'claude-fable-5 output_config.effort high'),
  'mp-unchecked': () => true,
  'mp-luna-unchecked': (leaf) => leaf.model === 'gpt-5.6-luna',
  'mp-gemini36-unchecked': (leaf) => leaf.model === 'gemini-3.6-flash',
};

/** Values of `modelParams` that a fault refuses although they are listed. */
const REFUSED_LEAVES: Partial<Record<FaultId, (leaf: Leaf) => boolean>> = {
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
  const controls = V4_CONTROLS.get(model) ?? {};
  const leaves = leavesIn(params, '');
  const isGood = ([path, value]: readonly [string, unknown]): boolean =>
    (controls[path] ?? []).some((one) => one === value);
  return leaves.flatMap(([path, value]) => {
    const hasGoodNeighbour = leaves.some((other) => other[0] !== path && isGood(other));
    const leaf: Leaf = { model, path, value, isListed: path in controls, hasGoodNeighbour };
    const isTaken = isGood([path, value]) ? !faults.some(REFUSED_LEAVES, leaf) : faults.some(TAKEN_LEAVES, leaf);
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

function leavesIn(value: Json, prefix: string): Array<readonly [string, unknown]> {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return isObject(inner) && Object.keys(inner).length > 0 ? leavesIn(inner, path) : [[path, inner] as const];
  });
}

function isLeaf({ model, path, value }: Leaf, wanted: string): boolean {
  return `${model} ${path} ${String(value)}` === wanted;
}

function accepts(model: string): boolean {
  return Object.keys(V4_CONTROLS.get(model) ?? {}).length > 0;
}
