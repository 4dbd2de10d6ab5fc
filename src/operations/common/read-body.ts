import type { ParsedRequest } from '../operation.ts';

/** The body of a parsed request as the type of the schema that it was checked against; {} where there is none. */
export type BodyOf<Schemas> = <Name extends keyof Schemas>(request: ParsedRequest, schema: Name) => Schemas[Name];

/** Reads bodies as the schemas of one generation. */
export function createBodyOf<Schemas>(): BodyOf<Schemas> {
  return <Name extends keyof Schemas>(request: ParsedRequest, _schema: Name) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parse has checked the body against the document that the type was made from
    (request.body ?? {}) as Schemas[Name];
}
