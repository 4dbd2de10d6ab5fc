import { schemaProblems } from './schema-problems.ts';
import { documentOperations, readDocuments } from './documents.ts';
import { type JsonObject, type JsonValue, isJsonObject } from './json.ts';
import type { Generation } from './target.ts';

/**
 * Validates bodies by the documents reduced to the facts of the contract. A list of problems is empty for a valid body.
 */
export interface Schemas {
  /** Returns the problems of a request body; empty for an undocumented operation and for an undefined body. */
  requestProblems(generation: Generation, operation: string, body: JsonValue | undefined): string[];
  /** Returns the members of the JSON body of an operation, in document order; empty for an operation without a body. */
  bodyMembers(generation: Generation, operation: string): string[];
  /** Returns the problems of a value against a component or a part of it: `Session`, `Session/properties/title`. */
  componentProblems(generation: Generation, component: string, value: JsonValue): string[];
  /** Returns the raw schema of a component. Throws for an unknown name. */
  component(generation: Generation, name: string): JsonObject;
}

/** Path from an OpenAPI operation to the schema of its JSON request body. */
const bodySchema = ['requestBody', 'content', 'application/json', 'schema'];

function createSchemas(): Schemas {
  const documents = readDocuments('contract');
  const operations = new Map(
    documentOperations(documents).map((operation) => [`${operation.generation}.${operation.id}`, operation]),
  );

  const references = new Map<string, string | undefined>();

  function bodyReference(key: string): string | undefined {
    if (!references.has(key)) references.set(key, findBody(key));
    return references.get(key);
  }

  function findBody(key: string): string | undefined {
    const found = operations.get(key);
    if (found === undefined) return undefined;
    const steps = ['paths', found.path, found.method, ...bodySchema];
    if (valueAt(documents[found.generation], steps) === undefined) return undefined;
    return `contract/${found.generation}#/${steps.map((step) => encodeStep(step)).join('/')}`;
  }

  return {
    requestProblems: (generation, operation, body) => {
      const reference = bodyReference(`${generation}.${operation}`);
      return reference === undefined || body === undefined ? [] : schemaProblems(reference, body);
    },
    bodyMembers(generation, operation) {
      const found = operations.get(`${generation}.${operation}`);
      if (found === undefined) return [];
      const schema = valueAt(documents[generation], ['paths', found.path, found.method, ...bodySchema]);
      const members = followReferences(documents[generation], schema)['properties'];
      return isJsonObject(members) ? Object.keys(members) : [];
    },
    componentProblems: (generation, component, value) =>
      schemaProblems(`contract/${generation}#/components/schemas/${component}`, value),
    component: (generation, name) => {
      const schema = valueAt(documents[generation], ['components', 'schemas', name]);
      if (!isJsonObject(schema)) throw new Error(`generated/contract/${generation}.json has no schema ${name}`);
      return schema;
    },
  };
}

/**
 * Follows `$ref` from a schema until a schema without `$ref`, and returns this schema. Returns an empty object for a
 * value that is no schema.
 */
export function followReferences(document: JsonObject, schema: JsonValue | undefined): JsonObject {
  if (!isJsonObject(schema)) return {};
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return followReferences(document, valueAt(document, reference.split('/').slice(1)));
}

/** Returns the value at a path of member names; undefined if a member is missing. */
export function valueAt(document: JsonObject, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) ? value[step] : undefined),
    document,
  );
}

/** Encodes one step of a JSON pointer inside a reference. */
export function encodeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The contract view of the three documents; created once, because it never changes. */
export const contractSchemas: Schemas = createSchemas();
