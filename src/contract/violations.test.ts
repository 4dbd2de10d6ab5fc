import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortJson } from '#lib/json.ts';
import { violationDetail } from './violations.ts';

test.each([
  {
    keyword: 'required',
    params: { missingProperty: 'task' },
    data: {},
    loc: ['body', 'task'],
    msg: 'Field required',
    type: 'missing',
  },
  {
    keyword: 'type',
    params: { type: ['string', 'null'] },
    data: 5,
    msg: 'Expected string or null, found 5',
    type: 'type_error',
  },
  {
    keyword: 'enum',
    params: { allowedValues: ['a', null] },
    data: 'b',
    msg: 'Expected one of "a", null, found "b"',
    type: 'enum',
  },
  {
    keyword: 'const',
    params: { allowedValue: true },
    data: false,
    msg: 'Expected true, found false',
    type: 'literal_error',
  },
  { keyword: 'format', params: { format: 'uuid' }, data: 'x', msg: 'Expected a uuid, found "x"', type: 'format_error' },
  {
    keyword: 'minLength',
    params: { limit: 1 },
    data: '',
    msg: 'Expected at least 1 characters, found ""',
    type: 'string_too_short',
  },
  {
    keyword: 'maximum',
    params: { limit: 100 },
    data: 101,
    msg: 'Expected at most 100, found 101',
    type: 'less_than_equal',
  },
  {
    keyword: 'additionalProperties',
    params: { additionalProperty: 'x' },
    data: {},
    loc: ['body', 'x'],
    msg: 'Unknown field "x"',
    type: 'extra_forbidden',
  },
  {
    keyword: 'exclusiveMinimum',
    params: { limit: 0 },
    data: -1,
    msg: 'Expected more than 0, found -1',
    type: 'greater_than',
  },
  {
    keyword: 'minItems',
    params: { limit: 1 },
    data: [],
    msg: 'Expected at least 1 entries, found []',
    type: 'too_short',
  },
  { keyword: 'maxItems', params: { limit: 1 }, data: [1, 2], msg: 'Expected at most 1 entries', type: 'too_long' },
  {
    keyword: 'maxProperties',
    params: { limit: 0 },
    data: { a: 1 },
    msg: 'Expected at most 0 members',
    type: 'too_long',
  },
  {
    keyword: 'multipleOf',
    params: { multipleOf: 2 },
    data: 3,
    message: 'must be multiple of 2',
    msg: '3 must be multiple of 2',
    type: 'value_error',
  },
])('describes a violated $keyword', ({ keyword, params, data, message, loc, msg, type }) => {
  expect(violationDetail('body', { keyword, instancePath: '', params, data, message })).toEqual({
    loc: loc ?? ['body'],
    msg,
    type,
  });
});

test('locates array elements by number and unescapes names', () => {
  const violation = { keyword: 'type', instancePath: '/a~1b/0/c~0d', params: { type: 'string' }, data: 1 };
  expect(violationDetail('body', violation).loc).toEqual(['body', 'a/b', 0, 'c~d']);
});

test('shows at most 80 characters of the found value', () => {
  const { msg } = violationDetail('body', {
    keyword: 'type',
    instancePath: '',
    params: { type: 'null' },
    data: 'x'.repeat(1000),
  });
  expect(msg).toBe(`Expected null, found "${'x'.repeat(79)}…`);
});

test('never echoes a header with a secret-looking name', () => {
  const violation = {
    keyword: 'pattern',
    instancePath: '/X-Service-API-Key',
    params: { pattern: '^svc_' },
    data: 'hunter2',
  };
  expect(violationDetail('header', violation).msg).toBe('Expected text that matches ^svc_, found (not shown)');
});

test('returns short JSON unchanged and truncates long JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const full = JSON.stringify(value);
      const short = shortJson(value);
      expect(short).toBe(full.length <= 80 ? full : `${full.slice(0, 80)}…`);
    }),
  );
});

test('reads only the visible part of a value', () => {
  const deep = Array.from({ length: 200_000 }).reduce<unknown>((inner) => [inner], 1);
  expect(shortJson(deep)).toBe(`${'['.repeat(80)}…`);
});

test('describes a pattern with the words of its schema', () => {
  const violation = {
    keyword: 'pattern',
    instancePath: '/maxCostUsd',
    params: { pattern: '^x' },
    data: '-',
    parentSchema: { pattern: '^x', 'x-expected': 'a decimal string' },
  };
  expect(violationDetail('body', violation).msg).toBe('Expected a decimal string, found "-"');
});
