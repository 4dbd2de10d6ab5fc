import type { ResourceKind } from '../core/ledger.ts';
import { type OperationKey, operationRow, offeredEndpoint } from '../core/operations.ts';
import type { Generation, ListTarget, Target } from '../core/target.ts';

/** The list operation of one kind and generation of resource. */
export interface ResourceList {
  kind: ResourceKind;
  generation: Generation;
  operation: string;
  place: ListTarget;
  /** Query member of the page size, if the documents name one. */
  pageSize: string | undefined;
  /** True if the resources have no status and exist until they are deleted, such as profiles and workspaces. */
  stays: boolean;
}

interface Row {
  kind: ResourceKind;
  key: OperationKey;
  /**
   * Returns the list operation that the target file describes; null or undefined if the target file describes no such
   * list.
   */
  said?: (target: Target) => ListTarget | null | undefined;
  /** Dotted path of the items in the response of a list that the target file does not describe. */
  items?: string;
}

const rows: readonly Row[] = [
  { kind: 'task', key: 'v2.listTasks', said: ({ v2 }) => v2?.list },
  { kind: 'session', key: 'v2.listSessions', items: 'items' },
  { kind: 'session', key: 'v3.listSessions', said: ({ v3 }) => v3?.list },
  { kind: 'run', key: 'v4.listRuns', said: ({ v4 }) => v4?.listRuns },
  { kind: 'browser', key: 'v4.listBrowsers', said: ({ v4 }) => v4?.browsers?.list },
  { kind: 'profile', key: 'v2.listProfiles', items: 'items' },
  { kind: 'profile', key: 'v3.listProfiles', items: 'items' },
  { kind: 'profile', key: 'v4.listProfiles', items: 'items' },
  { kind: 'workspace', key: 'v3.listWorkspaces', items: 'items' },
];

const pageSizes = ['limit', 'pageSize', 'page_size'];
const staying: readonly ResourceKind[] = ['profile', 'workspace'];

/**
 * Returns every list operation of a target for the kinds of resources that the suite creates; empty for a stateless
 * target.
 */
export function resourceLists(target: Target): ResourceList[] {
  if (target.stateless) return [];
  return rows.flatMap(({ kind, key, said, items }) => {
    const { id: operation, generation, queryParameters } = operationRow(key);
    const named = said?.(target);
    const place = named === undefined ? listAt(offeredEndpoint(target, key), items) : named;
    if (place === null) return [];
    const pageSize = pageSizes.find((name) => queryParameters.includes(name));
    return [{ kind, generation, operation, place, pageSize, stays: staying.includes(kind) }];
  });
}

/**
 * Returns the path of a list's items in the response according to the target file; undefined if it does not describe
 * the list.
 */
export function statedItems(target: Target, key: OperationKey): string | undefined {
  return rows.find((row) => row.key === key)?.said?.(target)?.items;
}

function listAt(place: ReturnType<typeof offeredEndpoint>, items: string | undefined): ListTarget | null {
  return place === null || items === undefined ? null : { ...place, items };
}
