import { describe, expect, it } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { acceptedFields, rules } from '#generated/rules.ts';
import { expectObject } from '../tools/generate/parse.ts';

const documents = { v2, v3, v4 };

describe('the default of a model in a document', () => {
  it.each([
    { document: v2, schema: 'CreateTask', member: 'llm', model: rules.models.v2.default.model },
    { document: v3, schema: 'CreateSession', member: 'model', model: rules.models.v3.default.model },
    { document: v4, schema: 'CreateRun', member: 'model', model: rules.models.v4.default.model },
  ])('$schema $member equals the table', ({ document, schema, member, model }) => {
    const { properties } = expectObject(expectObject(document.components.schemas, 'schemas')[schema], schema);
    expect(expectObject(expectObject(properties, schema)[member], member)['default']).toBe(model);
  });
});

describe('the table of members without their full effect', () => {
  it.each(acceptedFields.fields)('$version $schema $field is a documented member', ({ version, schema, field }) => {
    const schemas = expectObject(documents[version].components.schemas, version);
    expect(Object.keys(expectObject(expectObject(schemas[schema], schema)['properties'], schema))).toContain(field);
  });
});
