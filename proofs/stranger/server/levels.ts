/** Levels of V2 and V3: which pairs of model and level are taken, and the text of the refusal. */
import type { FaultId } from '../faults/index.ts';
import type { Problem } from './call.ts';
import { type Level, LEVELS, providerFor } from './tables.ts';
import type { Faults } from './world.ts';

/** A model and the level that a request asks for. */
export interface Pair {
  readonly model: string;
  readonly level: unknown;
  readonly supported: readonly Level[];
  readonly generation: 'v2' | 'v3';
  readonly isFollowUp: boolean;
}

/** Pairs that a fault takes although the model does not support them. */
const TAKEN_PAIRS: Partial<Record<FaultId, (pair: Pair) => boolean>> = {
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

/** Pairs that a fault refuses although the model supports them. */
const REFUSED_PAIRS: Partial<Record<FaultId, (pair: Pair) => boolean>> = {
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
  const isSupported = LEVELS.some((level) => level === pair.level && pair.supported.includes(level));
  const isTaken = isSupported ? !faults.some(REFUSED_PAIRS, pair) : faults.some(TAKEN_PAIRS, pair);
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
  const listed = faults.has('msg-level-all-values') ? LEVELS : pair.supported;
  const separator = faults.has('msg-level-semicolons') ? '; ' : ', ';
  const shown = faults.has('pl-level-upper-in-text') ? level.toUpperCase() : level;
  const end = faults.has('pl-level-text-full-stop') ? '.' : '';
  return `Model "${model}"${provider} does not support ${member}=${shown}. Supported values: ${listed.join(separator)}${end}`;
}

function isPair({ generation, model, level }: Pair, wanted: string): boolean {
  return `${generation} ${model} ${String(level)}` === wanted;
}
