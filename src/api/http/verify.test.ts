import { describe, expect, it } from 'vitest';
import { createValidators } from './validators.ts';
import { createVerify } from './verify.ts';

const refusal = { $ref: '#/components/responses/Refused' };
const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const detail = { type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } };
const validators = createValidators(
  JSON.parse(
    JSON.stringify({
      openapi: '3.1.0',
      paths: { '/things': { get: { responses: { 200: json({ type: 'object' }), 429: refusal, 404: json(detail) } } } },
      components: {
        schemas: {},
        responses: {
          Refused: { headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } }, ...json(detail) },
        },
      },
    }),
  ),
)('GET', '/things');
const verify = createVerify(1);
const check =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (): void =>
    verify({ id: 'listThings', validators }, { status, body, headers });

describe('the validation of a response', () => {
  it('accepts a documented response', () => {
    expect(check(200, { more: 1 })).not.toThrow();
    expect(check(429, { detail: 'too many' }, { 'Retry-After': '5', 'X-Other': 'a' })).not.toThrow();
  });

  it.each([
    [
      'a status that is not documented',
      check(503, { detail: 'away' }),
      /answered 503, which its document does not list/,
    ],
    [
      'a member of a refusal that no schema has',
      check(429, { detail: 'a', limit_rps: 5 }),
      /unevaluatedProperty.*limit_rps/,
    ],
    ['a refusal without its text', check(404, {}), /refuses.*detail/],
    [
      'a documented header with another value',
      check(429, { detail: 'a' }, { 'Retry-After': 'soon' }),
      /Retry-After: soon/,
    ],
    [
      'an instruction that is not documented',
      check(404, { detail: 'a' }, { 'Retry-After': '5' }),
      /header Retry-After/,
    ],
  ])('throws for %s', (_what, verified, message) => {
    expect(verified).toThrow(message);
  });
});
