import { type ListOperation, listOperations } from '../../core/list-operations.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { Scenario } from '../../core/scenario.ts';
import { type PagedList, readPaged } from './scenarios-part-paged-list.ts';

/** Lists of what costs money: they are read as they stand. */
export const standingKeys: readonly OperationKey[] = [
  'v2.listSessions',
  'v2.listTasks',
  'v3.listSessions',
  'v4.listRuns',
  'v4.listSessions',
  'v4.listBrowsers',
];

/** Lists that are judged elsewhere, or that have no pages, each with the reason. */
export const otherLists: Readonly<Record<string, string>> = {
  'v3.listMessages': 'read from a message that is known: V3-MSG-02 and on',
  'v4.listRunEvents': 'read behind an event that is known: EVT-10 to EVT-14',
  'v4.listAttachments': 'has no pages',
  'v4.listMessages': 'has no pages',
  'v4.listBrowserDownloads': 'only a browser that has downloaded several files has pages',
};

/** The lists of sessions, tasks, runs and browsers as they stand. */
export const pagedLists: Scenario<PagedList[]> = {
  name: 'paged-lists',
  creates: 'nothing: lists are read page by page',
  spend: 'none',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  drive: async (drive) => {
    const lists: PagedList[] = [];
    for (const key of standingKeys) {
      if (drive.operations.offers(key)) lists.push(await readPaged(drive, { list: listOf(key) }));
    }
    return lists;
  },
};

/** The list operation of a key. */
export function listOf(key: OperationKey): ListOperation {
  const found = listOperations.find(({ operation }) => operation.key === key);
  if (found === undefined) throw new Error(`${key} is no list`);
  return found;
}
