import type { Mutant } from '../mutant.ts';
import { withLevels, withModel, withParams, withProblem } from '../flip.ts';

const v3Refusal = ['ERR-06', 'ERR-09', 'ERR-10', 'ERR-11', 'ERR-15', 'MAP-01', 'V3-THINK-25', 'VER-07'] as const;
const v2Refusal = ['ERR-07', 'ERR-09', 'ERR-10', 'ERR-11', 'ERR-15', 'MAP-01', 'V2-TASK-07', 'VER-07'] as const;
const v4Refusal = ['ERR-08', 'ERR-12', 'ERR-13', 'ERR-14', 'VER-07'] as const;

/** Servers with one flipped cell. A level that is accepted although refused also shows in the list of supported ones. */
export const matrixMutants: readonly Mutant[] = [
  { id: 'v3-gpt-5-mini-disabled', breaks: 'gpt-5-mini accepts disabled.', server: 'reference', target: 'V3-THINK-REFUSES', mayAlso: v3Refusal, rules: withLevels('v3', 'gpt-5-mini', ['disabled', 'low', 'medium', 'high']) },
  { id: 'v3-gemini-3.1-pro-medium', breaks: 'gemini-3.1-pro accepts medium.', server: 'reference', target: 'V3-THINK-REFUSES', mayAlso: [...v3Refusal, 'V3-THINK-29'], rules: withLevels('v3', 'gemini-3.1-pro', ['low', 'medium', 'high']) },
  { id: 'v3-gemini-3-pro-disabled', breaks: 'gemini-3-pro accepts disabled.', server: 'reference', target: 'V3-THINK-REFUSES', mayAlso: v3Refusal, rules: withLevels('v3', 'gemini-3-pro', ['disabled', 'low', 'high']) },
  { id: 'v3-glm-low', breaks: 'glm-5.2 accepts low.', server: 'reference', target: 'V3-THINK-REFUSES', mayAlso: v3Refusal, rules: withLevels('v3', 'glm-5.2', ['disabled', 'low', 'high']) },
  { id: 'v3-minimax-high', breaks: 'minimax-m3 accepts high.', server: 'reference', target: 'V3-THINK-REFUSES', mayAlso: v3Refusal, rules: withLevels('v3', 'minimax-m3', ['high']) },
  { id: 'v3-opus-4.8-no-disabled', breaks: 'claude-opus-4.8 refuses disabled.', server: 'reference', target: 'V3-THINK-ACCEPTS', rules: withLevels('v3', 'claude-opus-4.8', ['low', 'medium', 'high']) },
  { id: 'v3-gemini-3-flash-no-medium', breaks: 'gemini-3-flash, and with it svc-mini, refuses medium.', server: 'reference', target: 'V3-THINK-ACCEPTS', rules: withLevels('v3', 'gemini-3-flash', ['disabled', 'low', 'high']) },
  { id: 'v3-glm-no-high', breaks: 'glm-5.2 refuses high.', server: 'reference', target: 'V3-THINK-ACCEPTS', mayAlso: v3Refusal, rules: withLevels('v3', 'glm-5.2', ['disabled']) },
  { id: 'v3-pair-400', breaks: 'V3 answers an unsupported pair with 400.', server: 'reference', target: 'ERR-06', mayAlso: ['V3-THINK-REFUSES', 'V3-THINK-29', 'V3-THINK-25', 'ERR-05', 'ERR-09', 'ERR-10', 'ERR-11', 'MAP-01', 'VER-07'], rules: withProblem('unsupported_thinking_level', { status: 400 }) },
  { id: 'alias-mini', breaks: 'svc-mini means claude-opus-4.6.', server: 'reference', target: 'V3-ALIASES', rules: withModel('svc-mini', { aliasOf: 'claude-opus-4.6' }) },
  { id: 'alias-sonnet', breaks: 'claude-sonnet-4.6 means claude-opus-4.7.', server: 'reference', target: 'V3-ALIASES', rules: withModel('claude-sonnet-4.6', { aliasOf: 'claude-opus-4.7' }) },
  { id: 'own-key-native', breaks: 'gemini-3.5-flash is served without the own key.', server: 'reference', target: 'V3-OWN-KEY', mayAlso: ['BYOK-02'], rules: withModel('gemini-3.5-flash', { availability: 'native' }) },
  { id: 'own-key-gpt-5.2', breaks: 'gpt-5.2 is served without the own key.', server: 'reference', target: 'V3-OWN-KEY', mayAlso: ['BYOK-02'], rules: withModel('gpt-5.2', { availability: 'native' }) },
  { id: 'v2-o3-disabled', breaks: 'o3 accepts disabled.', server: 'mock', target: 'V2-THINK-REFUSES', mayAlso: [...v2Refusal, 'MAP-13'], rules: withLevels('v2', 'o3', ['disabled', 'low', 'medium', 'high']) },
  { id: 'v2-gemini-2.5-pro-zero', breaks: 'gemini-2.5-pro accepts the zero budget.', server: 'mock', target: 'MAP-06', mayAlso: [...v2Refusal, 'V2-THINK-REFUSES'], rules: withLevels('v2', 'gemini-2.5-pro', ['disabled', 'low', 'medium', 'high']) },
  { id: 'v2-claude-4-low', breaks: 'claude-sonnet-4-20250514 accepts low in V2.', server: 'mock', target: 'V2-THINK-31', mayAlso: [...v2Refusal, 'MAP-11', 'V2-THINK-REFUSES'], rules: withLevels('v2', 'claude-sonnet-4-20250514', ['disabled', 'low']) },
  { id: 'v2-glm-switch', breaks: 'V2 takes the switch of glm-5.2.', server: 'mock', target: 'V2-THINK-30', mayAlso: [...v2Refusal, 'MAP-15', 'V2-THINK-REFUSES'], rules: withLevels('v2', 'glm-5.2', ['disabled', 'high']) },
  { id: 'v2-gpt-4.1-high', breaks: 'gpt-4.1 accepts high.', server: 'mock', target: 'V2-THINK-REFUSES', mayAlso: v2Refusal, rules: withLevels('v2', 'gpt-4.1', ['high']) },
  { id: 'v2-pair-400', breaks: 'V2 answers an unsupported pair with 400.', server: 'mock', target: 'ERR-07', mayAlso: ['ERR-05', 'ERR-06', 'ERR-09', 'ERR-10', 'ERR-11', 'MAP-01', 'MAP-06', 'MAP-11', 'MAP-13', 'MAP-15', 'V2-TASK-07', 'V2-THINK-30', 'V2-THINK-31', 'V2-THINK-REFUSES', 'V3-THINK-25', 'V3-THINK-REFUSES', 'VER-07'], rules: withProblem('unsupported_thinking_level', { status: 400 }) },
  { id: 'v4-gpt-5.5-max', breaks: 'gpt-5.5 accepts max.', server: 'mock', target: 'V4-PARAMS-REFUSES', mayAlso: v4Refusal, rules: withParams('gpt-5.5', 'reasoning.effort', ['none', 'low', 'medium', 'high', 'xhigh', 'max']) },
  { id: 'v4-opus-5-none', breaks: 'claude-opus-5 accepts effort none.', server: 'mock', target: 'V4-PARAMS-REFUSES', mayAlso: v4Refusal, rules: withParams('claude-opus-5', 'output_config.effort', ['none', 'low', 'medium', 'high', 'xhigh', 'max']) },
  { id: 'v4-gemini-3.1-pro-minimal', breaks: 'gemini-3.1-pro accepts minimal.', server: 'mock', target: 'V4-PARAMS-REFUSES', mayAlso: v4Refusal, rules: withParams('gemini-3.1-pro', 'thinkingConfig.thinkingLevel', ['minimal', 'low', 'medium', 'high']) },
  { id: 'v4-glm-effort', breaks: 'glm-5.2 accepts modelParams.', server: 'mock', target: 'V4-PARAMS-REFUSES', mayAlso: [...v4Refusal, 'V4-PARAMS-27'], rules: withParams('glm-5.2', 'reasoning.effort', ['low', 'high']) },
  { id: 'v4-other-provider', breaks: 'gpt-5.6 takes the path of another provider.', server: 'mock', target: 'V4-PARAMS-27', mayAlso: [...v4Refusal, 'V4-PARAMS-REFUSES'], rules: withParams('gpt-5.6', 'output_config.effort', ['low', 'medium', 'high', 'xhigh', 'max']) },
  { id: 'v4-list-short', breaks: 'gpt-5.5 does not list xhigh as supported.', server: 'mock', target: 'ERR-12', mayAlso: ['ERR-14', 'V4-PARAMS-REFUSES'], rules: withParams('gpt-5.5', 'reasoning.effort', ['none', 'low', 'medium', 'high']) },
  { id: 'v4-value-400', breaks: 'V4 answers an unsupported value with 400.', server: 'mock', target: 'ERR-08', mayAlso: ['ERR-05', 'ERR-12', 'ERR-13', 'ERR-14', 'V4-PARAMS-27', 'V4-PARAMS-REFUSES', 'VER-07'], rules: withProblem('unsupported_model_params', { status: 400 }) },
];
