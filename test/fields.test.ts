import { describe, expect, it } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { acceptedFields } from '#generated/rules.ts';
import { expectObject } from '../scripts/generate/parse.ts';

const documents = { v2, v3, v4 };

describe('the table of members without their full effect', () => {
  it.each(acceptedFields.fields)('$version $schema $field is a documented member', ({ version, schema, field }) => {
    const schemas = expectObject(documents[version].components.schemas, version);
    expect(Object.keys(expectObject(expectObject(schemas[schema], schema)['properties'], schema))).toContain(field);
  });
});
