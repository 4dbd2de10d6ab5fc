import { describe, expect, test } from 'vitest';
import { operations } from '#generated/operations.ts';
import { requirements } from '#generated/requirements.ts';
import { contractLines, errors } from '#generated/rules.ts';
import type { LogExchange } from './create-call-log.ts';
import { judgeCall } from './judge-call.ts';
import { logRoutes } from './log-routes.ts';

const routes = logRoutes();
const id = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';
const text = (detail: string): object => ({ detail });
const invalid = (msg: string, ...loc: string[]): object => ({ detail: [{ loc, msg, type: 'value_error' }] });

interface Row extends Partial<LogExchange> {
  readonly name: string;
  readonly call: string;
  readonly verdict: string;
  /**
   * Expected ids of the lines of the verdict: requirements, error codes and operations. A minus before an id marks a
   * violated rule.
   */
  readonly lines: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: 'a run without a model',
    call: 'POST /api/v4/runs',
    body: { task: 'x' },
    status: 402,
    answer: text('Insufficient credits'),
    verdict: 'refused',
    lines: ['-insufficient_credits'],
  },
  {
    name: 'no key',
    call: 'GET /api/v4/runs',
    headers: {},
    status: 401,
    answer: text('Expected a valid API key in the header X-Service-API-Key'),
    verdict: 'broken',
    lines: ['-AUTH-01', '-not_authenticated'],
  },
  {
    name: 'a wrong key',
    call: 'GET /api/v4/runs',
    status: 401,
    answer: text('Expected a valid API key in the header X-Service-API-Key'),
    verdict: 'broken',
    lines: ['-AUTH-04', '-not_authenticated'],
  },
  {
    name: 'a pair that V3 does not support',
    call: 'POST /api/v3/sessions',
    status: 422,
    answer: invalid(
      'Model "glm-5.2" (provider "zai") does not support thinking_level="low". Supported values: disabled, high',
      'body',
      'thinkingLevel',
    ),
    verdict: 'broken',
    lines: ['-V3-THINK-REFUSES', '-unsupported_thinking_level'],
  },
  {
    name: 'a value that the model does not take',
    call: 'POST /api/v4/runs',
    status: 422,
    answer: invalid(
      `Model "gpt-5.5" does not support modelParams.reasoning.effort='max'. Supported values: high`,
      'body',
      'modelParams',
    ),
    verdict: 'broken',
    lines: ['-V4-PARAMS-REFUSES', '-unsupported_model_params'],
  },
  {
    name: 'no task, and a country that is none',
    call: 'POST /api/v4/runs',
    status: 422,
    answer: {
      detail: [
        { loc: ['body', 'task'], msg: 'Field required', type: 'missing' },
        { loc: ['body', 'x'], msg: 'Unknown field "x"', type: 'extra_forbidden' },
      ],
    },
    verdict: 'broken',
    lines: ['-V4-RUN-02', '-ERR-05'],
  },
  {
    name: 'an object that is not there',
    call: `GET /api/v4/runs/${id}`,
    status: 404,
    answer: text('Run not found'),
    verdict: 'refused',
    lines: ['-run_not_found'],
  },
  {
    name: 'a path that is none',
    call: 'GET /api/v4/tasks',
    status: 404,
    answer: text('Not Found'),
    verdict: 'broken',
    lines: ['-GEN-01', '-route_not_found'],
  },
  {
    name: 'an internal error',
    call: 'GET /api/v4/runs',
    status: 500,
    answer: text('Internal error; quote request 1'),
    verdict: 'fault',
    lines: ['-internal_error'],
  },
  {
    name: 'an answer without what its document asks for',
    call: `GET /api/v3/sessions/${id}`,
    status: 200,
    answer: { id },
    verdict: 'fault',
    lines: ['V3-GET-01', 'V3-GET-04', 'AUTH-02'],
  },
  {
    name: 'what the contract does not speak of',
    call: `DELETE /api/v4/sessions/${id}`,
    status: 204,
    verdict: 'kept',
    lines: ['v4 deleteSession', 'AUTH-02'],
  },
];

test.each(rows)('$name', ({ call, verdict, lines, ...exchange }) => {
  const [method = '', path = ''] = call.split(' ');
  const usual = { query: new URLSearchParams(), headers: { 'x-service-api-key': 'svc_x' }, body: undefined };
  const judged = judgeCall({ ...usual, status: 200, answer: undefined, method, path, ...exchange }, routes);
  expect(judged.lines.map((line) => `${line.kept ? '' : '-'}${line.id}`)).toEqual(lines);
  expect(judged.verdict).toBe(verdict);
  expect(judged.differences.length > 0).toBe(verdict === 'fault' && exchange.status === 200);
});

test('a line shows the words of the contract, and none for the document of an operation', () => {
  const request = { method: 'DELETE', path: `/api/v4/sessions/${id}`, query: new URLSearchParams(), body: undefined };
  const headers = { 'x-service-api-key': 'svc_x' };
  const { lines } = judgeCall({ ...request, headers, status: 204, answer: undefined }, routes);
  expect(lines.map((line) => [line.id, line.quote])).toEqual([
    ['v4 deleteSession', null],
    ['AUTH-02', 'The security scheme is of type apiKey, location header, name `X-Service-API-Key`.'],
  ]);
});

describe('the table of contract lines', () => {
  const all = [...contractLines.refusals, ...contractLines.calls];

  test('names existing requirements', () => {
    const known = new Set<string>(requirements.filter((row) => !('profile' in row)).map((row) => row.id));
    expect(all.filter(({ requirement }) => !known.has(requirement))).toEqual([]);
  });

  test('names existing operations and refusals', () => {
    const unknown = all.filter((row) => {
      const generation = 'generation' in row ? row.generation : null;
      const isOperation = operations.some(
        (one) =>
          one.id === ('operation' in row ? row.operation : one.id) && one.version === (generation ?? one.version),
      );
      const isCode = !('code' in row) || errors.problems.some(({ code }) => code === row.code);
      return !isOperation || !isCode;
    });
    expect(unknown).toEqual([]);
  });
});
