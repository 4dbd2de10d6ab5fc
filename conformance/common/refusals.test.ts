import { describe, expect, it } from 'vitest';
import { levelTemplate, paramTemplate, splitWords } from './refusals.ts';

const level = levelTemplate(['svc-max', 'claude-sonnet-5'], 'low');
const right =
  'Model "claude-sonnet-5" (provider "anthropic") does not support thinking_level="low". Supported values: disabled, high';

describe('the V2 and V3 template', () => {
  it.each([right, right.replace('claude-sonnet-5', 'svc-max'), `Value error, ${right}.`, right.replaceAll(' ', '  ')])(
    'matches %s',
    (text) => {
      expect(splitWords(level.exec(text)?.groups?.['list'] ?? '')).toEqual(['disabled', 'high']);
    },
  );

  it.each([
    ['another model', right.replace('claude-sonnet-5', 'claude-opus-5')],
    ['another level', right.replace('"low"', '"high"')],
    ['no provider', right.replace(' (provider "anthropic")', '')],
    ['camel case', right.replace('thinking_level', 'thinkingLevel')],
    ['single quotes', right.replace('"low"', "'low'")],
  ])('does not match a text with %s', (_name, text) => {
    expect(level.exec(text)).toBeNull();
  });
});

it('finds each pair of a text with several pairs, with its own list', () => {
  const both = `${right}. ${right.replace('claude-sonnet-5', 'glm-5.2').replace('disabled, high', 'max')}`;
  expect(level.exec(both)?.groups?.['list']).toBe('disabled, high');
  expect(levelTemplate(['glm-5.2'], 'low').exec(both)?.groups?.['list']).toBe('max');
});

describe('the V4 template', () => {
  const param = paramTemplate('gpt-5.5', 'reasoning.effort', 'max');

  it('matches the V4 error text', () => {
    const text = `Model "gpt-5.5" does not support modelParams.reasoning.effort='max'. Supported values: high, low`;
    expect(param.exec(text)?.groups?.['list']).toBe('high, low');
  });

  it('matches the dots of a path literally', () => {
    const text = `Model "gpt-5x5" does not support modelParams.reasoning_effort='max'. Supported values: high`;
    expect(param.exec(text)).toBeNull();
  });
});
