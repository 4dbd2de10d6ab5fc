import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** An example of a document, with a JSON pointer to the example and one to its schema. */
export interface FoundExample {
  readonly pointer: string;
  readonly schemaPointer: string;
  readonly value: JsonValue;
}

const documentId = 'https://svc.example/document';

/**
 * Returns a problem for each JSON body without an example, and for each example that violates its schema. The schemas
 * contain the compiled reasoning matrices.
 */
export function exampleProblems(document: JsonObject): string[] {
  const missing = bodiesWithoutExample(document, '').map(
    (pointer) =>
      `${pointer}: found no example, expected at least one, because the mock and the reference show it. Add examples beside schema`,
  );
  return [...missing, ...refusedExamples(document)];
}

function bodiesWithoutExample(node: JsonValue, pointer: string): string[] {
  if (Array.isArray(node)) return node.flatMap((member, index) => bodiesWithoutExample(member, `${pointer}/${index}`));
  if (!isJsonObject(node)) return [];
  const media = isJsonObject(node['content']) ? node['content']['application/json'] : undefined;
  const lacks = isJsonObject(media) && !(isJsonObject(media['examples']) && Object.keys(media['examples']).length > 0);
  const below = Object.entries(node).flatMap(([name, member]) =>
    name === 'schema' || name === 'schemas' ? [] : bodiesWithoutExample(member, `${pointer}/${escape(name)}`),
  );
  return lacks ? [`${pointer}/content/application~1json`, ...below] : below;
}

function refusedExamples(document: JsonObject): string[] {
  const ajv = createDocumentAjv(document);
  return getExamples(document).flatMap(({ pointer, schemaPointer, value }) => {
    const validate = ajv.compile({ $ref: `${documentId}#${schemaPointer}` });
    return validate(value)
      ? []
      : [
          `${pointer}: the example does not match its schema: ${ajv.errorsText(validate.errors, { dataVar: 'example' })}. Correct the example, or the schema`,
        ];
  });
}

/** Creates an Ajv instance to which only the document is added, with the id `https://svc.example/document`. */
export function createDocumentAjv(document: JsonObject): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  return ajv.addSchema({ ...document, $id: documentId });
}

/** Returns every named example that has a schema beside it, such as the examples of request and response bodies. */
export function getExamples(document: JsonObject): FoundExample[] {
  return visit(document, '');
}

function visit(node: JsonValue, pointer: string): FoundExample[] {
  if (Array.isArray(node)) return node.flatMap((member, index) => visit(member, `${pointer}/${index}`));
  if (!isJsonObject(node)) return [];
  const named = isJsonObject(node['examples']) && 'schema' in node ? Object.entries(node['examples']) : [];
  const here = named.map(([name, example]) => ({
    pointer: `${pointer}/examples/${name}`,
    schemaPointer: `${pointer}/schema`,
    value: isJsonObject(example) ? (example['value'] ?? null) : null,
  }));
  const below = Object.entries(node).flatMap(([name, member]) =>
    name === 'examples' ? [] : visit(member, `${pointer}/${escape(name)}`),
  );
  return [...here, ...below];
}

/** Escapes a name for use as one segment of a JSON pointer within a URI. */
function escape(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
