const text = { type: 'string', minLength: 1 } as const;

/** JSON Schema of the file of `svc serve --providers`. An unknown member is refused, so that a typo empties nothing. */
export const providersSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Model providers',
  type: 'object',
  required: ['providers'],
  additionalProperties: false,
  properties: {
    providers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['apiKey'],
        additionalProperties: false,
        properties: { apiKey: text, baseUrl: text, route: { enum: ['direct', 'cloud'] } },
      },
    },
  },
} as const;

/** One provider of the file, once the schema has vouched for it. */
export interface GivenProvider {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly route?: 'direct' | 'cloud';
}
