import type { StatusLists } from '../../common/judgement.ts';
import type { Exchange } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { followPages, listItems } from '../../common/followed-pages.ts';
import { type FollowedTask, follow } from '../../common/observed-job.ts';
import { notWatchable, openTaskSession } from '../../common/open-task-session.ts';
import { beginWorking } from '../v2-tasks/scenarios.ts';

/** A V2 session that was stopped while its task was running. */
export interface TaskSessionStop {
  id: string;
  created: Exchange;
  task: FollowedTask;
  /** Fetch of the session while its task works. */
  working: Exchange;
  whileActive: StatusLists;
  /** Pages of the list of sessions: the first page with one session, and a page far after the last page. */
  pages: { one: Exchange; far: Exchange };
  answer: Exchange;
  /** Fetch of the session after its stop. */
  after: Exchange;
  whileStopped: StatusLists;
}

const operations = ['v2.createSession', 'v2.getSession', 'v2.updateSession', 'v2.listSessions'] as const;

const request = { persistMemory: false, keepAlive: true, proxyCountryCode: null };

/** Creates one V2 session and stops it while its task is running. Records the session before and after the stop. */
export const taskSessionStop: Scenario<TaskSessionStop> = {
  name: 'task-session-stop',
  creates: 'one V2 session with a slow task, stopped while it works',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => notWatchable(target, operations),
  run: (context) => context.live(() => driveStop(context)),
};

async function driveStop(context: ScenarioContext): Promise<TaskSessionStop> {
  const { id, created } = await openTaskSession(context, request);
  const task = await beginWorking(context, id);
  const fetched = (): Promise<Exchange> => context.operations.call('v2.getSession', { path: [id] });
  const working = await fetched();
  const whileActive = await readLists(context, id);
  const list = (query: Record<string, number>): Promise<Exchange> =>
    context.operations.call('v2.listSessions', { query });
  const pages = { one: await list({ pageSize: 1 }), far: await list({ pageSize: 1, pageNumber: 1_000_000 }) };
  const answer = await context.operations.call('v2.updateSession', { path: [id], body: { action: 'stop' } });
  await follow(context, task, { deadlineMs: context.target.polling.settleDeadlineMs });
  // A second stop must change nothing.
  await context.operations.call('v2.updateSession', { path: [id], body: { action: 'stop' } });
  const after = await fetched();
  const whileStopped = await readLists(context, id);
  return { id, created, task, working, whileActive, pages, answer, after, whileStopped };
}

async function readLists(context: ScenarioContext, id: string): Promise<StatusLists> {
  const read = (filterBy: string): Promise<Exchange[]> =>
    followPages(
      (page: number | undefined) =>
        context.operations.call('v2.listSessions', { query: { filterBy, pageSize: 100, pageNumber: page ?? 1 } }),
      (page, pages) => (shows(page, id) || listItems(page, 'items').length < 100 ? undefined : pages.length + 1),
    );
  return { active: await read('active'), stopped: await read('stopped') };
}

function shows(page: Exchange, id: string): boolean {
  return listItems(page, 'items').some((item) => memberAt(item, 'id') === id);
}
