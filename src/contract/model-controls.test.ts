import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import {
  checkModelParams,
  checkThinkingLevel,
  effectiveModelParams,
  listModelParamsRefusals,
} from './model-controls.ts';
import { normaliseModel } from './models.ts';
import { defaultRules, type RuleBook } from './rule-book.ts';

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

  test.each(rows)('accepts null and undefined for $model', ({ model }) => {
    expect(checkThinkingLevel(defaultRules, { version, model, level: null })).toBeNull();
    expect(checkThinkingLevel(defaultRules, { version, model, level: undefined })).toBeNull();
  });

  test('lists every row in the order of the enumeration', () => {
    for (const row of rows) expect(row.levels).toEqual(levels.filter((level) => row.levels.includes(level)));
  });

  test('checks an absent model as the default model', () => {
    const model = defaultRules.models[version].default.model;
    for (const level of [...levels, 'absurd']) {
      expect(checkThinkingLevel(defaultRules, { version, model: undefined, level })).toEqual(
        checkThinkingLevel(defaultRules, { version, model, level }),
      );
    }
  });

  test('accepts an unknown model, which the enumeration rejects', () => {
    expect(checkThinkingLevel(defaultRules, { version, model: 'no-such-model', level: 'high' })).toBeNull();
  });

  test('follows the rule book: a changed cell changes only its own result', () => {
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

test('checks an alias as its model and names the model', () => {
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

/** Returns a rule book in which one cell of the thinking levels is inverted. */
function flip(version: 'v2' | 'v3', cell: { model: string; level: string; accepted: boolean }): RuleBook {
  const rows = defaultRules.thinkingLevels[version].map((row) =>
    row.model === cell.model
      ? { ...row, levels: levels.filter((level) => row.levels.includes(level) !== (level === cell.level)) }
      : row,
  );
  return { ...defaultRules, thinkingLevels: { ...defaultRules.thinkingLevels, [version]: rows } };
}

const { matrix } = defaultRules.modelParams;
const models = defaultRules.models.v4.models.map((row) => row.name);
const paths = [...new Set(matrix.map((row) => row.path))];
const values = [...new Set(matrix.flatMap((row) => row.values))];
const cells = models.flatMap((model) =>
  paths.flatMap((path) =>
    values.map((value) => {
      const row = matrix.find((candidate) => candidate.model === model && candidate.path === path);
      return { model, path, value, allowed: row?.values ?? [], accepted: row?.values.includes(value) ?? false };
    }),
  ),
);

describe('checkModelParams', () => {
  test.each(cells)('$model with $path=$value: accepted $accepted', ({ model, path, value, allowed, accepted }) => {
    const refusal = checkModelParams(defaultRules, { model, params: at(path, value) });
    expect(refusal).toEqual(
      accepted
        ? null
        : {
            code: 'unsupported_model_params',
            values: { model, path, value, supported: allowed.toSorted().join(', ') },
            path: ['modelParams', ...path.split('.')],
          },
    );
  });

  test.each(models)('accepts undefined, null and {} for %s', (model) => {
    for (const params of [undefined, null, {}]) expect(checkModelParams(defaultRules, { model, params })).toBeNull();
  });

  test('accepts as many cells as the contract lists', () => {
    const rows = defaultRules.models.v4.models.filter(({ source }) => source.startsWith('contract'));
    const ofContract = cells.filter(({ model }) => rows.some(({ name }) => name === model));
    expect(ofContract.filter(({ accepted }) => accepted)).toHaveLength(5 + 4 * 6 + 4 * (5 + 2 + 2) + 3 * 4 + 3);
  });

  test.each([
    {
      name: 'a path that is not listed',
      params: { reasoning: { depth: 'low' } },
      path: 'reasoning.depth',
      value: 'low',
      supported: '',
    },
    { name: 'a path above a listed one', params: { reasoning: 'low' }, path: 'reasoning', value: 'low', supported: '' },
    {
      name: 'a path below a listed one',
      params: { reasoning: { effort: { now: 'low' } } },
      path: 'reasoning.effort.now',
      value: 'low',
      supported: '',
    },
    {
      name: 'an empty object where nothing is listed',
      params: { thinking: {} },
      path: 'thinking',
      value: '{}',
      supported: '',
    },
    {
      name: 'an empty object in place of a value',
      params: { reasoning: { effort: {} } },
      path: 'reasoning.effort',
      value: '{}',
      supported: 'high, low, max, medium, none, xhigh',
    },
    {
      name: 'null',
      params: { reasoning: { effort: null } },
      path: 'reasoning.effort',
      value: 'null',
      supported: 'high, low, max, medium, none, xhigh',
    },
    {
      name: 'a list',
      params: { reasoning: { effort: ['low'] } },
      path: 'reasoning.effort',
      value: '["low"]',
      supported: 'high, low, max, medium, none, xhigh',
    },
  ] satisfies { name: string; params: JsonObject; path: string; value: string; supported: string }[])(
    'refuses $name',
    ({ params, path, value, supported }) => {
      expect(checkModelParams(defaultRules, { model: 'gpt-5.6-luna', params })?.values).toEqual({
        model: 'gpt-5.6-luna',
        path,
        value,
        supported,
      });
    },
  );

  test('reports a name with a dot as an unknown member', () => {
    expect(checkModelParams(defaultRules, { model: 'gpt-5.6-luna', params: { 'reasoning.effort': 'low' } })).toEqual({
      code: 'unknown_model_param',
      values: { member: '"reasoning.effort"' },
      path: ['modelParams', 'reasoning.effort'],
    });
  });

  test('accepts an empty object above a listed path', () => {
    expect(checkModelParams(defaultRules, { model: 'gpt-5.6-luna', params: { reasoning: {} } })).toBeNull();
  });

  test('checks an absent model as the default model, and accepts an unknown one', () => {
    expect(checkModelParams(defaultRules, { model: undefined, params: at('reasoning.effort', 'max') })).toBeNull();
    expect(
      checkModelParams(defaultRules, { model: undefined, params: at('thinking.type', 'adaptive') })?.values,
    ).toMatchObject({ model: 'gpt-5.6-luna' });
    expect(checkModelParams(defaultRules, { model: 'no-such-model', params: { x: 1 } })).toBeNull();
  });

  test('lists every refused leaf, and follows a changed row', () => {
    const params = { reasoning: { effort: 'max', depth: 1 }, thinking: { type: 'adaptive' } };
    const refused = listModelParamsRefusals(defaultRules, { model: 'gpt-5.5', params }).map((refusal) =>
      refusal.path.slice(1).join('.'),
    );
    expect(refused).toEqual(['reasoning.effort', 'reasoning.depth', 'thinking.type']);
    const flipped: RuleBook = {
      ...defaultRules,
      modelParams: {
        ...defaultRules.modelParams,
        matrix: matrix.map((row) => (row.model === 'gpt-5.5' ? { ...row, values: [...row.values, 'max'] } : row)),
      },
    };
    expect(checkModelParams(flipped, { model: 'gpt-5.5', params: at('reasoning.effort', 'max') })).toBeNull();
  });

  test('is fast for JSON objects of any depth and width', () => {
    const deep = Array.from({ length: 100_000 }).reduce<JsonValue>((inner) => ({ a: inner }), 1);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]));
    expect(listModelParamsRefusals(defaultRules, { model: 'glm-5.2', params: { deep } })).toHaveLength(1);
    expect(listModelParamsRefusals(defaultRules, { model: 'glm-5.2', params: wide })).toHaveLength(100);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(...models), (generated, model) => {
        const params: unknown = JSON.parse(JSON.stringify(generated));
        if (!isJsonObject(params)) throw new Error('expected an object');
        const refusal = checkModelParams(defaultRules, { model, params });
        expect(refusal === null).toBe(Object.keys(generated).length === 0);
      }),
    );
  });
});

/** Nests a value: `a.b`, 1 -> { a: { b: 1 } }. */
function at(path: string, value: JsonValue): JsonObject {
  const [head = '', tail] = path.split('.');
  return { [head]: tail === undefined ? value : { [tail]: value } };
}

describe('the controls for the provider', () => {
  it('are the service default for a request without params (rule 1)', () => {
    const sent = effectiveModelParams(defaultRules, { model: 'gpt-5.6-luna', params: null });
    expect(sent).toEqual({ reasoning: { effort: 'xhigh' } });
  });

  it('are null for a model without a service default', () => {
    expect(effectiveModelParams(defaultRules, { model: 'glm-5.2', params: null })).toBeNull();
  });

  it('are null for an empty object (rule 2)', () => {
    expect(effectiveModelParams(defaultRules, { model: 'gpt-5.6-luna', params: {} })).toBeNull();
  });

  it('are the controls of the request, unchanged', () => {
    const params = { output_config: { effort: 'max' }, thinking: { type: 'adaptive' } };
    expect(effectiveModelParams(defaultRules, { model: 'claude-opus-5', params })).toEqual(params);
  });
});
