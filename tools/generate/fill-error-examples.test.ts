import { describe, expect, test } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { fillErrorExamples } from './fill-error-examples.ts';
import { expectObject } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

const problems = [
  { code: 'too_long', status: 413, body: 'detail', message: 'At most {limit}, found {found}' },
  { code: 'wrong', status: 422, body: 'validation', type: 'value_error', message: 'Wrong: {reason}' },
];

/**
 * Fills the error examples of a document whose only operation documents 413 and 422. Returns the examples of each
 * response by its name.
 */
function fill(errorExamples: RuleTables['errorExamples'], version: 'v2' | 'v3' | 'v4' = 'v3'): Record<string, unknown> {
  const response = (): JsonObject => ({ content: { 'application/json': {} } });
  const document: JsonObject = {
    paths: {
      '/things': {
        get: {
          responses: {
            '413': { $ref: '#/components/responses/TooLong' },
            '422': { $ref: '#/components/responses/Wrong' },
          },
        },
      },
    },
    components: { responses: { TooLong: response(), Wrong: response() } },
  };
  const rest = {
    models: { v2: none(), v3: none(), v4: none() },
    thinkingLevels: { v2: [], v3: [] },
    modelParams: { matrix: [] },
    commonResponses: { responses: [] },
    lifecycle: { machines: [], views: [] },
    runEvents: { events: [] },
  };
  const filled = fillErrorExamples(document, { ...rest, errors: { problems }, errorExamples }, version);
  return Object.fromEntries(Object.entries(getResponses(filled)).map(([name, value]) => [name, getExamples(value)]));
}

const none = (): RuleTables['models']['v2'] => ({ default: { model: '' }, models: [] });

function getResponses(document: JsonObject): JsonObject {
  return expectObject(expectObject(document['components'], 'components')['responses'], 'responses');
}

function getExamples(response: unknown): JsonObject {
  const media = expectObject(
    expectObject(expectObject(response, 'response')['content'], 'content')['application/json'],
    'media',
  );
  return isJsonObject(media['examples']) ? media['examples'] : {};
}

describe('examples of refusals', () => {
  test('carry the text of errors.yaml with the values of their row', () => {
    const given = [
      { code: 'too_long', response: 'TooLong', values: { limit: '5', found: '6' } },
      { code: 'wrong', response: 'Wrong', loc: ['body', 'a', 0], values: { reason: 'no' } },
    ];
    expect(fill({ examples: given, elsewhere: [] })).toEqual({
      TooLong: { too_long: { value: { detail: 'At most 5, found 6' } } },
      Wrong: { wrong: { value: { detail: [{ loc: ['body', 'a', 0], msg: 'Wrong: no', type: 'value_error' }] } } },
    });
  });

  test('are there without a row too, with placeholders as they are', () => {
    expect(fill({ examples: [], elsewhere: ['wrong'] })).toEqual({
      TooLong: { too_long: { value: { detail: 'At most {limit}, found {found}' } } },
      Wrong: {},
    });
  });

  test('stand only in the generations of their row', () => {
    const examples = [{ code: 'too_long', response: 'TooLong', versions: ['v2'] }];
    expect(fill({ examples, elsewhere: ['wrong'] })).toEqual({ TooLong: {}, Wrong: {} });
  });

  test('of a code that errors.yaml does not have are a mistake', () => {
    expect(() => fill({ examples: [], elsewhere: ['wrng'] })).toThrow('found wrng, expected codes of errors.yaml');
  });

  test('are in our documents for every code that an operation can answer, without a placeholder left in those that have a row', () => {
    const shown = [v2, v3, v4].flatMap((document) =>
      Object.values(getResponses(document)).flatMap((value) => Object.entries(getExamples(value))),
    );
    const { examples, elsewhere } = defaultRules.errorExamples;
    const codes = defaultRules.errors.problems.map(({ code }) => code).filter((code) => !elsewhere.includes(code));
    expect(codes.filter((code) => !shown.some(([name]) => name === code))).toEqual([]);
    const rows = shown.filter(([name]) => examples.some(({ code }) => code === name));
    expect(rows.filter(([, value]) => /\{\w+\}/.test(JSON.stringify(value)))).toEqual([]);
  });
});
