import { type Exchange, succeeded } from '../../core/exchange.ts';
import { memberAt, textOf } from '../../core/json.ts';
import type { OperationKey } from '../../core/operations.ts';
import type { Drive } from '../../core/scenario.ts';
import { itemsOf, nextCursorOf } from '../common/followed-pages.ts';
import { type ForeignAttempt, type OwnThings, ownLooks, tryForeign } from './scenarios-part-foreign-attempts.ts';
import { type ForeignList, readForeignLists } from './scenarios-part-foreign-lists.ts';

/** Everything that another project tried with some things of ours, and how their owner found them. */
export interface TwoKeys {
  things: OwnThings;
  /** Everything that the owner can look at, before and after the attempts. */
  before: Exchange[];
  after: Exchange[];
  attempts: ForeignAttempt[];
  lists: ForeignList[];
}

/** A list whose cursors the other project tries. */
export interface CursorList {
  key: OperationKey;
  /** Path parameters of our list, and of the list of the other project. */
  ours: readonly string[];
  theirs: readonly string[];
}

/** What is tried besides the operations that name the things. */
export interface Besides {
  lists: readonly OperationKey[];
  /** What the owner saw before anything was tried, where something was tried already. @defaultValue looked at now */
  before?: Exchange[];
  cursors?: readonly CursorList[];
}

/** Tries everything with the key of the other project. */
export async function tryEverything(drive: Drive, things: OwnThings, besides: Besides): Promise<TwoKeys> {
  const before = besides.before ?? (await ownLooks(drive, things));
  const lists = await readForeignLists(drive, besides.lists);
  const cursors: ForeignAttempt[] = [];
  for (const list of besides.cursors ?? []) cursors.push(...(await tryCursor(drive, list)));
  const attempts = [...cursors, ...(await tryForeign(drive, things))];
  return { things, before, attempts, lists, after: await ownLooks(drive, things) };
}

// A list that fits on one page hands out no cursor.
async function tryCursor(drive: Drive, { key, ours, theirs }: CursorList): Promise<ForeignAttempt[]> {
  const other = { other: drive.otherApiKey ?? '' };
  if (!drive.operations.offers(key)) return [];
  const own = await drive.operations.call(key, { path: ours, query: { limit: 1 } });
  const cursor = nextCursorOf(own);
  if (!succeeded(own) || cursor === undefined) return [];
  const unknown = await drive.operations.call(key, { path: theirs, query: { limit: 100 }, key: other });
  const exchange = await drive.operations.call(key, { path: theirs, query: { limit: 100, cursor }, key: other });
  return [{ place: { operation: key, where: 'query', name: 'cursor' }, own, unknown, exchange }];
}

/** Paths of the files in a list. */
export function pathsIn(list: Exchange): string[] {
  return itemsOf(list, 'files').map((file) => textOf(memberAt(file, 'path')));
}

/** Books what its owner does not find any more: the other project has removed it. */
export function bookRemoved({ ledger }: Drive, { things, after }: TwoKeys): void {
  const gone = after.filter(({ status }) => status === 404 || status === 410);
  for (const entry of ledger.entries()) {
    const isOurs = Object.values(things.ids).some((id) => id === entry.id);
    const named = gone.some(({ request }) => request.url.split('?')[0]?.endsWith(`/${entry.id ?? ''}`) === true);
    if (isOurs && named && entry.state === 'live') ledger.update(entry, { state: 'ended' });
  }
}
