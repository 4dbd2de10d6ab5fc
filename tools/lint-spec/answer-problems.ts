import { limits } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type FoundOperation, listOperations } from '../../src/cli/spec/documents.ts';

/** A response that some operations must document. */
interface AnswerRule {
  readonly status: string;
  /** Why the response is required: the end of a sentence after "expected one, because". */
  readonly because: string;
  readonly applies: (operation: FoundOperation) => boolean;
  /** File of spec/shared/responses with the response. */
  readonly file: string;
}

const hasBody = ({ operation }: FoundOperation): boolean => 'requestBody' in operation;
const hasId = ({ path }: FoundOperation): boolean => path.includes('{');
const hasParameters = ({ operation }: FoundOperation): boolean =>
  Array.isArray(operation['parameters']) && operation['parameters'].length > 0;

const answerRules: readonly AnswerRule[] = [
  { status: '401', because: 'every operation needs a key', applies: () => true, file: 'Unauthorized.yaml' },
  // A deletion needs no 404, because it may return 204 for a deleted record.
  {
    status: '404',
    because: 'its path names a thing',
    applies: (found) => hasId(found) && found.method !== 'delete',
    file: 'NotFound.yaml',
  },
  { status: '413', because: 'it takes a body', applies: hasBody, file: 'PayloadTooLarge.yaml' },
  {
    status: '422',
    because: 'it takes something that can be wrong',
    applies: (found) => hasBody(found) || hasId(found) || hasParameters(found),
    file: 'UnprocessableContent.yaml',
  },
];

/**
 * Returns a problem for each error response that an operation must document and does not. Also returns a problem for
 * each list whose page size has no minimum, maximum and default, unless `x-bounded-by` names a limit.
 */
export function answerProblems(document: JsonObject): string[] {
  return listOperations(document).flatMap((found) => [...missingAnswers(found), ...missingPaging(document, found)]);
}

function missingAnswers(found: FoundOperation): string[] {
  const responses = isJsonObject(found.operation['responses']) ? found.operation['responses'] : {};
  return answerRules
    .filter(({ status, applies }) => !(status in responses) && applies(found))
    .map(
      ({ status, because, file }) =>
        `${getName(found)}: found no answer ${status}, expected one, because ${because}. Add to ${getFile(found)}: ` +
        `"${status}": { $ref: ../../shared/responses/${file} }`,
    );
}

const pageSizes = ['pageSize', 'page_size', 'limit'];

function missingPaging(document: JsonObject, found: FoundOperation): string[] {
  const { operationId, 'x-bounded-by': bound } = found.operation;
  // A list without pagination names the row of spec/rules/limits.yaml that bounds it.
  if (!getText(operationId).startsWith('list') || limits.limits.some(({ limit }) => limit === bound)) return [];
  const listed = Array.isArray(found.operation['parameters']) ? found.operation['parameters'] : [];
  const size = listed
    .map((entry) => resolve(document, entry))
    .find((entry) => pageSizes.includes(getText(entry['name'])));
  const schema = isJsonObject(size?.['schema']) ? size['schema'] : {};
  const lacking = ['minimum', 'maximum', 'default'].filter((keyword) => typeof schema[keyword] !== 'number');
  if (lacking.length === 0) return [];
  const what = size === undefined ? `none of the parameters ${pageSizes.join(', ')}` : `no ${lacking.join(', ')}`;
  return [
    `${getName(found)}: found ${what}, expected a page size with minimum, maximum and default, because a list grows. ` +
      `Add it to ${getFile(found)}, as in spec/shared/parameters/PageSize.yaml, or x-bounded-by with the row of spec/rules/limits.yaml that bounds it`,
  ];
}

function resolve(document: JsonObject, entry: JsonValue): JsonObject {
  const reference = isJsonObject(entry) ? entry['$ref'] : undefined;
  if (typeof reference !== 'string') return isJsonObject(entry) ? entry : {};
  const components = isJsonObject(document['components']) ? document['components'] : {};
  const parameters = isJsonObject(components['parameters']) ? components['parameters'] : {};
  const found = parameters[reference.replace('#/components/parameters/', '')];
  return isJsonObject(found) ? found : {};
}

function getName({ method, path }: FoundOperation): string {
  return `${method} ${path}`;
}

function getFile({ operation }: FoundOperation): string {
  return `operations/${getText(operation['operationId'])}.yaml`;
}

function getText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
