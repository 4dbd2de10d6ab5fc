import { describe, expect, it } from 'vitest';
import { defaultRules } from '../rule-book.ts';
import { effectiveModelParams } from './effective-model-params.ts';

describe('what reaches the provider', () => {
  it('the service default where the request gives nothing (rule 1)', () => {
    const sent = effectiveModelParams(defaultRules, { model: 'gpt-5.6-luna', params: null });
    expect(sent).toEqual({ reasoning: { effort: 'xhigh' } });
  });

  it('nothing where the model has no service default', () => {
    expect(effectiveModelParams(defaultRules, { model: 'glm-5.2', params: null })).toBeNull();
  });

  it('nothing for an empty object: the provider decides (rule 2)', () => {
    expect(effectiveModelParams(defaultRules, { model: 'gpt-5.6-luna', params: {} })).toBeNull();
  });

  it('the controls of the request, unchanged', () => {
    const params = { output_config: { effort: 'max' }, thinking: { type: 'adaptive' } };
    expect(effectiveModelParams(defaultRules, { model: 'claude-opus-5', params })).toEqual(params);
  });
});
