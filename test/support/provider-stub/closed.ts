/** Returns a JSON Schema of an object without further members. */
export function closed(
  required: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
): object {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties: false,
  };
}

/** Schema of a text that is not empty. */
export const someText = { type: 'string', minLength: 1 };
/** Schema of any text. */
export const anyText = { type: 'string' };
/** JSON Schema that the parameters of a tool must match: they must themselves be a JSON Schema of type `object`. */
export const toolSchema = {
  type: 'object',
  required: ['type'],
  properties: { type: { const: 'object' } },
};
/** Schema of bytes as base64. */
export const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' };
/** Schema of a picture as a data URL. */
export const dataUrl = { type: 'string', pattern: '^data:image/(jpeg|png);base64,[A-Za-z0-9+/]+={0,2}$' };
