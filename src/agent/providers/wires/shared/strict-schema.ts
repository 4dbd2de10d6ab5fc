import type { SchemaDialect } from './schema-fits.ts';

/** What OpenAI, and who follows its wire, take of JSON Schema where a reply is held to it strictly. */
export const strictSchema: SchemaDialect = {
  keywords:
    'type title description properties required additionalProperties items enum const anyOf $defs $ref pattern format minimum maximum multipleOf exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
      ' ',
    ),
  closed: true,
  allRequired: true,
};
