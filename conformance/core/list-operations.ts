import { answerSchemas } from './answer-schemas.ts';
import { isJsonObject } from './json.ts';
import { type Operation, allOperations } from './operations.ts';

/** Pagination of a list. */
export type Paging =
  /** Page numbers: `page` and `size` are query members, `total` is the response member with the number of all items. */
  | { style: 'number'; page: string; size: string; total: string }
  /** A cursor that each page returns in `nextCursor`. */
  | { style: 'cursor'; size: string }
  /** Each page contains the items after a known item. */
  | { style: 'after'; size: string }
  /** All items in one response. */
  | { style: 'whole' };

/** A list operation of the documents. */
export interface ListOperation {
  operation: Operation;
  /** Member of the response that holds the items. */
  items: string;
  /** Member that identifies an item. */
  id: string;
  paging: Paging;
}

/** Members that may identify items, in the order of preference. */
const idMembers = ['id', 'path', 'sessionId'];

/** Every list operation of the documents whose items have an id, with the pagination that its parameters define. */
export const listOperations: readonly ListOperation[] = allOperations.flatMap((operation) => {
  const found = operation.method === 'GET' && operation.id.startsWith('list') ? listIn(operation) : undefined;
  return found === undefined ? [] : [{ operation, ...found, paging: readPaging(operation) }];
});

function readPaging({ queryParameters, ...operation }: Operation): Paging {
  const has = (name: string): boolean => queryParameters.includes(name);
  if (has('pageNumber')) return { style: 'number', page: 'pageNumber', size: 'pageSize', total: 'totalItems' };
  if (has('page_size')) return { style: 'number', page: 'page', size: 'page_size', total: 'total' };
  if (has('cursor')) return { style: 'cursor', size: 'limit' };
  if (has('after') && operation.id !== 'listTasks') return { style: 'after', size: 'limit' };
  return { style: 'whole' };
}

// An item that is no object has no id: the folders of a V3 workspace are names.
function listIn(operation: Operation): Pick<ListOperation, 'items' | 'id'> | undefined {
  const properties = answerSchemas.getSchema(operation, operation.successStatus)?.['properties'];
  for (const [items, found] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const inner = isJsonObject(found) && isJsonObject(found['items']) ? found['items'] : {};
    const item = answerSchemas.resolve(operation.generation, inner)['properties'];
    const id = idMembers.find((name) => isJsonObject(item) && name in item);
    if (id !== undefined) return { items, id };
  }
  return undefined;
}
