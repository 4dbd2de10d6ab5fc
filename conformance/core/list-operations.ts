import { answerSchemas } from './answer-schemas.ts';
import { isJsonObject } from './json.ts';
import { type Operation, allOperations } from './operations.ts';

/** How a list is read page by page. */
export type Paging =
  /** By number: `page` and `size` are query members, `total` the member of the answer that counts all items. */
  | { style: 'number'; page: string; size: string; total: string }
  /** By a cursor that each page hands out in `nextCursor`. */
  | { style: 'cursor'; size: string }
  /** Behind an item that is known. */
  | { style: 'after'; size: string }
  /** All at once. */
  | { style: 'whole' };

/** A list operation of the documents. */
export interface ListOperation {
  operation: Operation;
  /** Member of the answer that holds the items. */
  items: string;
  /** Member by which an item is known. */
  id: string;
  paging: Paging;
}

/** Members by which items are known, in the order in which they are looked for. */
const idMembers = ['id', 'path', 'sessionId'];

/** Every list operation of the documents, with its paging as their parameters tell it. */
export const listOperations: readonly ListOperation[] = allOperations.flatMap((operation) => {
  const found = operation.method === 'GET' && operation.id.startsWith('list') ? listIn(operation) : undefined;
  return found === undefined ? [] : [{ operation, ...found, paging: pagingOf(operation) }];
});

function pagingOf({ queryParameters, ...operation }: Operation): Paging {
  const has = (name: string): boolean => queryParameters.includes(name);
  if (has('pageNumber')) return { style: 'number', page: 'pageNumber', size: 'pageSize', total: 'totalItems' };
  if (has('page_size')) return { style: 'number', page: 'page', size: 'page_size', total: 'total' };
  if (has('cursor')) return { style: 'cursor', size: 'limit' };
  if (has('after') && operation.id !== 'listTasks') return { style: 'after', size: 'limit' };
  return { style: 'whole' };
}

// What is no object has no id: the folders of a V3 workspace are names.
function listIn(operation: Operation): Pick<ListOperation, 'items' | 'id'> | undefined {
  const properties = answerSchemas.schemaOf(operation, operation.successStatus)?.['properties'];
  for (const [items, found] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const inner = isJsonObject(found) && isJsonObject(found['items']) ? found['items'] : {};
    const item = answerSchemas.resolve(operation.generation, inner)['properties'];
    const id = idMembers.find((name) => isJsonObject(item) && name in item);
    if (id !== undefined) return { items, id };
  }
  return undefined;
}
