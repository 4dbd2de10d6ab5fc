import type { Exchange } from '../harness/exchange.ts';
import { memberAt, textOf } from '../harness/json.ts';
import type { Drive } from '../harness/scenario.ts';
import { followPages, itemsOf } from './followed-pages.ts';
import type { FollowedTask } from './followed-task.ts';

/** Lists of the V2 tasks of one session. */
export interface TaskLists {
  all: Exchange;
  /** By status word. */
  byStatus: Readonly<Record<'finished' | 'stopped', Exchange>>;
  /** The moment that parts the tasks: when the first was created, in UTC with an offset. */
  moment: string;
  after: Exchange;
  before: Exchange;
  /** Page after page of one task each, and one page behind the last. */
  pages: Exchange[];
  /** The session with its tasks. */
  session: Exchange;
}

/** Reads the lists of the tasks of a session that stands still. */
export async function readTaskLists(drive: Drive, sessionId: string, first: FollowedTask): Promise<TaskLists> {
  const list = (query: Readonly<Record<string, string | number>>): Promise<Exchange> =>
    drive.operations.call('v2.listTasks', { query: { sessionId, pageSize: 100, ...query } });
  const moment = withOffset(textOf(memberAt(first.records.at(-1)?.exchange.json, 'createdAt')));
  return {
    all: await list({}),
    byStatus: { finished: await list({ filterBy: 'finished' }), stopped: await list({ filterBy: 'stopped' }) },
    moment,
    after: await list({ after: moment }),
    before: await list({ before: moment }),
    pages: await followPages(
      (page: number | undefined) => list({ pageSize: 1, pageNumber: page ?? 1 }),
      (page, pages) => (itemsOf(page, 'items').length === 0 ? undefined : pages.length + 1),
    ),
    session: await drive.operations.call('v2.getSession', { path: [sessionId] }),
  };
}

/** The query takes times with an offset; records may have none. */
function withOffset(time: string): string {
  return /Z|[+-]\d\d:\d\d$/.test(time) ? time : `${time}Z`;
}
