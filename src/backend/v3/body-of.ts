import type { components } from '#generated/v3.ts';
import type { ParsedRequest } from '#http/operation.ts';

type Schemas = components['schemas'];

/** The body of a parsed request as the type of the schema that it was checked against; {} where there is none. */
export function bodyOf<Name extends keyof Schemas>(request: ParsedRequest, _schema: Name): Schemas[Name] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parse has checked the body against the document that the type was made from
  return (request.body ?? {}) as Schemas[Name];
}
