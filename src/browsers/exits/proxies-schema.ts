const text = { type: 'string', minLength: 1 } as const;

/** JSON Schema of the file of `svc serve --proxies`. An unknown member is refused, so that a typo empties nothing. */
export const proxiesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Proxies by country',
  type: 'object',
  required: ['proxies'],
  additionalProperties: false,
  properties: {
    proxies: {
      type: 'array',
      items: {
        type: 'object',
        required: ['countries'],
        additionalProperties: false,
        properties: {
          countries: { anyOf: [{ const: 'all' }, { type: 'array', items: text, minItems: 1 }] },
          direct: { const: true },
          url: text,
          username: text,
          password: text,
          names: { enum: ['here', 'there'] },
          ignoreCertErrors: { type: 'boolean' },
        },
      },
    },
  },
} as const;

/** One row of the file, once the schema has vouched for it. */
export interface GivenRow {
  /** Codes of ProxyCountryCode, or all that no other row names. */
  readonly countries: 'all' | readonly string[];
  readonly direct?: true;
  readonly url?: string;
  readonly username?: string;
  readonly password?: string;
  readonly names?: 'here' | 'there';
  readonly ignoreCertErrors?: boolean;
}
