import { describe, expect, it, vi } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { operations } from '#generated/operations.ts';
import { createValidators, gatheringInPlace } from './validators.ts';

const documents = { v2: createValidators(v2), v3: createValidators(v3), v4: createValidators(v4) };

it('throws for Ajv code of an unknown form', () => {
  expect(() => gatheringInPlace('vErrors = vErrors.concat(more)')).toThrow('found a copy of errors');
});

describe('the schemas of an operation', () => {
  // Validators are compiled on first use, so only this test finds a schema that cannot be compiled.
  it.each(operations)('compile for $version $id', ({ version, method, path, successStatus }) => {
    const { body, headers, path: inPath, query, responses } = documents[version](method, path);
    for (const validate of [inPath, query, headers.validate]) expect(validate).toBeTypeOf('function');
    if (body !== undefined) expect(body.validate).toBeTypeOf('function');
    expect(responses.statuses).toContain(successStatus);
    for (const status of responses.statuses) expect(['function', 'undefined']).toContain(typeof responses.of(status));
    expect(responses.of(418)).toBeUndefined();
  });

  it('are compiled once', () => {
    const first = documents.v3('POST', '/sessions');
    expect(first.body?.validate).toBe(first.body?.validate);
    expect(first.responses.of(200)).toBe(first.responses.of(200));
  });

  it('report every invalid entry of a list without copying earlier errors', () => {
    const { body } = documents.v4('POST', '/runs');
    const concat = vi.spyOn(Array.prototype, 'concat');
    const secretBindings = Array.from({ length: 200 }, () => 1);
    expect(body?.validate({ task: 'x', model: 'gemini-3-flash', secretBindings })).toBe(false);
    const copies = concat.mock.calls.length;
    concat.mockRestore();
    expect([body?.validate.errors?.length, copies]).toEqual([201, 0]);
  });

  it('report a reference without target on first use', () => {
    const schema = { $ref: '#/components/schemas/Gone' };
    const post = {
      requestBody: { content: { 'application/json': { schema } } },
      responses: {},
    };
    const validators = createValidators({ paths: { '/x': { post } }, components: { schemas: {} } })('POST', '/x');
    expect(() => validators.body?.validate).toThrow("can't resolve reference");
  });
});
