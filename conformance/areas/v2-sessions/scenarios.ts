import type { Exchange } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { followPages, itemsOf } from '../common/followed-pages.ts';
import { type FollowedTask, follow } from '../common/observed-job.ts';
import { notWatchable, openTaskSession } from '../common/open-task-session.ts';
import { beginWorking } from '../v2-tasks/scenarios.ts';

/** Lists of V2 sessions by status, page after page until one shows the session or is the last. */
export interface SessionLists {
  active: Exchange[];
  stopped: Exchange[];
}

/** A V2 session that was stopped while it worked. */
export interface TaskSessionStop {
  id: string;
  request: JsonObject;
  created: Exchange;
  task: FollowedTask;
  /** The session while its task works. */
  working: Exchange;
  whileActive: SessionLists;
  /** The first page of one session, and one far behind the last. */
  pages: { one: Exchange; far: Exchange };
  answer: Exchange;
  /** The session after the stop. */
  after: Exchange;
  whileStopped: SessionLists;
}

const operations = ['v2.createSession', 'v2.getSession', 'v2.updateSession', 'v2.listSessions'] as const;

const request = { persistMemory: false, keepAlive: true, proxyCountryCode: null };

/** One V2 session that is stopped while its task works. */
export const taskSessionStop: Scenario<TaskSessionStop> = {
  name: 'task-session-stop',
  creates: 'one V2 session with a slow task, stopped while it works',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => notWatchable(target, operations),
  drive: (drive) => drive.live(() => driveStop(drive)),
};

async function driveStop(drive: Drive): Promise<TaskSessionStop> {
  const { id, created } = await openTaskSession(drive, request);
  const task = await beginWorking(drive, id);
  const fetched = (): Promise<Exchange> => drive.operations.call('v2.getSession', { path: [id] });
  const working = await fetched();
  const whileActive = await readLists(drive, id);
  const list = (query: Record<string, number>): Promise<Exchange> =>
    drive.operations.call('v2.listSessions', { query });
  const pages = { one: await list({ pageSize: 1 }), far: await list({ pageSize: 1, pageNumber: 1_000_000 }) };
  const answer = await drive.operations.call('v2.updateSession', { path: [id], body: { action: 'stop' } });
  await follow(drive, task, { deadlineMs: drive.target.polling.settleDeadlineMs });
  // Once more: it has nothing left to change.
  await drive.operations.call('v2.updateSession', { path: [id], body: { action: 'stop' } });
  const after = await fetched();
  const whileStopped = await readLists(drive, id);
  return { id, request, created, task, working, whileActive, pages, answer, after, whileStopped };
}

async function readLists(drive: Drive, id: string): Promise<SessionLists> {
  const read = (filterBy: string): Promise<Exchange[]> =>
    followPages(
      (page: number | undefined) =>
        drive.operations.call('v2.listSessions', { query: { filterBy, pageSize: 100, pageNumber: page ?? 1 } }),
      (page, pages) => (shows(page, id) || itemsOf(page, 'items').length < 100 ? undefined : pages.length + 1),
    );
  return { active: await read('active'), stopped: await read('stopped') };
}

function shows(page: Exchange, id: string): boolean {
  return itemsOf(page, 'items').some((item) => memberAt(item, 'id') === id);
}
