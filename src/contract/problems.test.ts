import { expect, test } from 'vitest';
import { errors } from '#generated/rules.ts';
import { fillTemplate, isProblem, problem, renderProblem, validationProblem } from './problems.ts';
import { type RuleBook, defaultRules } from './rule-book.ts';

test('writes the V2 and V3 template of the contract', () => {
  const found = problem(
    'unsupported_thinking_level',
    { model: 'glm-5.2', provider: 'zai', level: 'low', supported: 'disabled, high' },
    ['body', 'thinkingLevel'],
  );
  expect(renderProblem(found)).toEqual({
    status: 422,
    body: {
      detail: [
        {
          loc: ['body', 'thinkingLevel'],
          msg: 'Model "glm-5.2" (provider "zai") does not support thinking_level="low". Supported values: disabled, high',
          type: 'value_error',
        },
      ],
    },
  });
});

test('writes the V4 template of the contract', () => {
  const found = problem('unsupported_model_params', {
    model: 'gpt-5.5',
    path: 'reasoning.effort',
    value: 'max',
    supported: 'high, low',
  });
  expect(JSON.stringify(renderProblem(found).body)).toContain(
    `Model \\"gpt-5.5\\" does not support modelParams.reasoning.effort='max'. Supported values: high, low`,
  );
});

test('does not compile when a placeholder is missing', () => {
  // @ts-expect-error `level`, `provider` and `supported` are missing.
  expect(renderProblem(problem('unsupported_thinking_level', { model: 'x' })).status).toBe(422);
  // @ts-expect-error There is no such code.
  expect(() => renderProblem(problem('no_such_code', {}))).toThrow('found no row for no_such_code');
});

test.each(errors.problems)('renders $code with $status and a body of kind $body', ({ code, status, body }) => {
  const names = [
    ...String(defaultRules.errors.problems.find((row) => row.code === code)?.message).matchAll(/\{(\w+)\}/g),
  ].map((match) => String(match[1]));
  const values = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the values of a code that only the row knows cannot be typed
  const rendered = renderProblem(problem(code, values as never));
  expect(rendered.status).toBe(status);
  expect(Array.isArray(rendered.body.detail)).toBe(body === 'validation');
  expect(JSON.stringify(rendered.body)).not.toMatch(/\{\w+\}/);
  if (status === 429) expect(rendered.headers?.['Retry-After']).toMatch(/^(\d+|<seconds>)$/);
});

test('fills placeholders once and keeps braces and $ of values', () => {
  expect(fillTemplate('{a} {b} {c}', { a: '{b}', b: '$&' })).toBe('{b} $& {c}');
});

test('renders several details in one body', () => {
  const details = [1, 2].map((index) => ({ loc: ['body', index], msg: 'm', type: 't' }));
  expect(renderProblem(validationProblem(details))).toEqual({ status: 422, body: { detail: details } });
});

test('cannot be forged by a request body', () => {
  const body: unknown = JSON.parse(JSON.stringify(problem('route_not_found', {})));
  expect(isProblem(problem('route_not_found', {}))).toBe(true);
  expect(isProblem(body)).toBe(false);
  expect(isProblem({ kind: 'problem', code: 'route_not_found', values: {}, loc: [] })).toBe(false);
});

test('reads status and message from the given rule book', () => {
  const problems = defaultRules.errors.problems.map((row) =>
    row.code === 'route_not_found' ? { ...row, status: 418, message: 'tea' } : row,
  );
  const book: RuleBook = { ...defaultRules, errors: { ...defaultRules.errors, problems } };
  expect(renderProblem(problem('route_not_found', {}), book)).toEqual({ status: 418, body: { detail: 'tea' } });
});
