import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RuleBook, defaultRules } from '../rule-book.ts';
import { checkThinkingLevel } from './check-thinking-level.ts';
import { normaliseModel } from './normalise-model.ts';

const levels = ['disabled', 'low', 'medium', 'high'];

describe.each(['v2', 'v3'] as const)('checkThinkingLevel %s', (version) => {
  const rows = defaultRules.thinkingLevels[version];
  const cells = rows.flatMap((row) =>
    levels.map((level) => ({ model: row.model, level, accepted: row.levels.includes(level) })),
  );

  test.each(cells)('$model with $level: accepted $accepted', ({ model, level, accepted }) => {
    const refusal = checkThinkingLevel(defaultRules, { version, model, level });
    expect(refusal === null).toBe(accepted);
    if (refusal === null) return;
    const row = rows.find((candidate) => candidate.model === model);
    const known = defaultRules.models[version].models.find(
      (candidate) => candidate.name === normaliseModel(defaultRules, version, model),
    );
    expect(refusal).toEqual({
      code: 'unsupported_thinking_level',
      values: {
        model: known?.name,
        provider: known?.provider,
        level,
        supported: levels.filter((name) => row?.levels.includes(name)).join(', '),
      },
      path: ['thinkingLevel'],
    });
  });

  test.each(rows)('accepts null and nothing for $model', ({ model }) => {
    expect(checkThinkingLevel(defaultRules, { version, model, level: null })).toBeNull();
    expect(checkThinkingLevel(defaultRules, { version, model, level: undefined })).toBeNull();
  });

  test('writes every row in the order of the enumeration', () => {
    for (const row of rows) expect(row.levels).toEqual(levels.filter((level) => row.levels.includes(level)));
  });

  test('judges an absent model as the default model', () => {
    const model = defaultRules.models[version].default.model;
    for (const level of [...levels, 'absurd']) {
      expect(checkThinkingLevel(defaultRules, { version, model: undefined, level })).toEqual(
        checkThinkingLevel(defaultRules, { version, model, level }),
      );
    }
  });

  test('leaves an unknown model to the enumeration', () => {
    expect(checkThinkingLevel(defaultRules, { version, model: 'no-such-model', level: 'high' })).toBeNull();
  });

  test('obeys the book: one flipped cell flips exactly that cell', () => {
    const plain = cells.filter(({ model }) => normaliseModel(defaultRules, version, model) === model);
    fc.assert(
      fc.property(fc.constantFrom(...plain), fc.constantFrom(...plain), (flipped, probed) => {
        const same = flipped.model === probed.model && flipped.level === probed.level;
        const refusal = checkThinkingLevel(flip(version, flipped), {
          version,
          model: probed.model,
          level: probed.level,
        });
        expect(refusal === null).toBe(probed.accepted !== same);
      }),
    );
  });
});

test('judges an alias as the model that it stands for and names that model', () => {
  const rules = flip('v3', { model: 'claude-sonnet-5', level: 'low', accepted: true });
  for (const model of ['svc-max', 'claude-sonnet-4.6', 'claude-sonnet-5']) {
    expect(checkThinkingLevel(rules, { version: 'v3', model, level: 'low' })?.values).toEqual({
      model: 'claude-sonnet-5',
      provider: 'anthropic',
      level: 'low',
      supported: 'disabled, medium, high',
    });
  }
});

test('normalises the aliases of V3 only', () => {
  expect(normaliseModel(defaultRules, 'v3', 'svc-mini')).toBe('gemini-3-flash');
  expect(normaliseModel(defaultRules, 'v3', 'svc-max')).toBe('claude-sonnet-5');
  expect(normaliseModel(defaultRules, 'v3', 'svc-ultra')).toBe('claude-opus-4.6');
  expect(normaliseModel(defaultRules, 'v3', 'claude-sonnet-4.6')).toBe('claude-sonnet-5');
  expect(normaliseModel(defaultRules, 'v2', 'svc-llm')).toBe('svc-llm');
  expect(normaliseModel(defaultRules, 'v4', 'unknown')).toBe('unknown');
});

/** A book with one cell turned over. */
function flip(version: 'v2' | 'v3', cell: { model: string; level: string; accepted: boolean }): RuleBook {
  const rows = defaultRules.thinkingLevels[version].map((row) =>
    row.model === cell.model
      ? { ...row, levels: levels.filter((level) => row.levels.includes(level) !== (level === cell.level)) }
      : row,
  );
  return { ...defaultRules, thinkingLevels: { ...defaultRules.thinkingLevels, [version]: rows } };
}
