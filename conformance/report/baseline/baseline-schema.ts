/** JSON Schema of a baseline file. Unknown members are errors: a typo must not accept or forget a failure. */
export const baselineSchema = {
  type: 'object',
  required: ['entries'],
  additionalProperties: false,
  properties: {
    entries: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'reason', 'expires'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', minLength: 1 },
          cell: { type: 'string', minLength: 1 },
          reason: { type: 'string', minLength: 1 },
          link: { type: 'string', minLength: 1 },
          expires: { type: 'string', format: 'date' },
        },
      },
    },
  },
} as const;
