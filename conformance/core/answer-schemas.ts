import { readDocuments } from './documents.ts';
import { schemaProblems } from './schema-problems.ts';
import { type Exchange, hasUndeclaredBody } from './exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, toText } from './json.ts';
import { type Operation, type OperationKey, operationRow } from './operations.ts';
import { encodeStep, valueAt } from './schemas.ts';
import type { Generation } from './target.ts';

/** Validates requests and responses against the complete documents. A list of problems is empty for a valid value. */
export interface AnswerSchemas {
  /** Returns the problems of a request body; empty if the document declares no body for the operation. */
  requestProblems(key: OperationKey, body: JsonValue): string[];
  /**
   * Returns the problems of a response: an undocumented status, or a declared body that is missing, is not JSON, or
   * violates its schema.
   */
  answerProblems(operation: Operation, answer: Pick<Exchange, 'status' | 'json' | 'body'>): string[];
  /**
   * Returns the schema of a request body, or of the response body of a status. If the schema is a reference, returns
   * its target; references inside the schema are not resolved. Undefined if the document has no such body.
   */
  getSchema(operation: Operation, part: 'request' | number): JsonObject | undefined;
  /** Returns the first example of a request body; undefined if the document has no example. */
  getExample(operation: Operation): JsonValue | undefined;
  /**
   * Returns the schema of a query parameter. If the schema is a reference, returns its target; references inside the
   * schema are not resolved. Undefined if the operation has no such parameter.
   */
  getQuerySchema(operation: Operation, name: string): JsonObject | undefined;
  /**
   * Returns the target of a schema's reference, or the schema itself if it is no reference. Returns an empty object if
   * the target does not exist.
   */
  resolve(generation: Generation, schema: JsonObject): JsonObject;
}

/** Returns the path to the schema of a body; undefined if the document has no such schema. */
function stepsTo(
  documents: ReturnType<typeof readDocuments>,
  { generation, path, method }: Operation,
  part: 'request' | number,
): string[] | undefined {
  const operation = ['paths', path, method.toLowerCase()];
  const place = [...operation, ...(part === 'request' ? ['requestBody'] : ['responses', String(part)])];
  const shared = toText(valueAt(documents[generation], [...place, '$ref']));
  const holder = shared === '' ? place : shared.replace('#/', '').split('/');
  const steps = [...holder, 'content', 'application/json', 'schema'];
  return valueAt(documents[generation], steps) === undefined ? undefined : steps;
}

function createAnswerSchemas(): AnswerSchemas {
  const documents = readDocuments('openapi');

  const references = new Map<string, string | null>();

  /** Returns the reference to the schema of a body; null if the documents have no such schema. */
  function referenceTo(operation: Operation, part: 'request' | number): string | null {
    const place = `${operation.key} ${part}`;
    const known = references.get(place);
    if (known !== undefined) return known;
    const steps = stepsTo(documents, operation, part);
    const found = steps === undefined ? null : `openapi/${operation.generation}#/${steps.map(encodeStep).join('/')}`;
    references.set(place, found);
    return found;
  }

  function bodyProblems(operation: Operation, part: 'request' | number, value: JsonValue): string[] {
    const reference = referenceTo(operation, part);
    return reference === null ? [] : schemaProblems(reference, value);
  }

  const resolve: AnswerSchemas['resolve'] = (generation, schema) => {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    const found = valueAt(documents[generation], reference.replace('#/', '').split('/'));
    return isJsonObject(found) ? resolve(generation, found) : {};
  };

  return {
    requestProblems: (key, body) => bodyProblems(operationRow(key), 'request', body),
    answerProblems: (operation, { status, json, body }) => {
      if (!operation.statuses.includes(status)) {
        return [`the status ${status} is not documented; expected one of ${operation.statuses.join(', ')}`];
      }
      if (hasUndeclaredBody({ status, generation: operation.generation, operation: operation.id })) return [];
      if (json !== undefined) return bodyProblems(operation, status, json);
      return referenceTo(operation, status) === null
        ? []
        : [`found ${body === '' ? 'no body' : 'a body that is not JSON'}`];
    },
    getSchema: (operation, part) => {
      const steps = stepsTo(documents, operation, part);
      const schema = steps === undefined ? undefined : valueAt(documents[operation.generation], steps);
      return isJsonObject(schema) ? resolve(operation.generation, schema) : undefined;
    },
    getExample: (operation) => {
      const steps = stepsTo(documents, operation, 'request');
      const media = steps === undefined ? undefined : valueAt(documents[operation.generation], steps.slice(0, -1));
      const examples = isJsonObject(media) && isJsonObject(media['examples']) ? Object.values(media['examples']) : [];
      return isJsonObject(examples[0]) ? examples[0]['value'] : undefined;
    },
    getQuerySchema: ({ generation, path, method }, name) => {
      const listed = valueAt(documents[generation], ['paths', path, method.toLowerCase(), 'parameters']);
      const parameters = Array.isArray(listed)
        ? listed.filter(isJsonObject).map((row) => resolve(generation, row))
        : [];
      const schema = parameters.find((row) => row['in'] === 'query' && row['name'] === name)?.['schema'];
      return isJsonObject(schema) ? resolve(generation, schema) : undefined;
    },
    resolve,
  };
}

/** Validators for the OpenAPI documents of V2, V3 and V4; created once, because the documents never change. */
export const answerSchemas: AnswerSchemas = createAnswerSchemas();
