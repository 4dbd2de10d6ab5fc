import { notOffered } from '../../core/operations.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { openTaskSession } from '../common/open-task-session.ts';
import { type Proxied, customProxy } from './scenarios-part-proxied-browser.ts';

const operations = ['v2.createSession', 'v2.getSession', 'v2.listSessions', 'v2.deleteSession'] as const;

/** One V2 session behind a custom proxy. */
export const proxiedSession: Scenario<Proxied> = {
  name: 'proxied-session',
  creates: 'one V2 session behind a custom proxy, deleted at once',
  spend: 'task',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, operations),
  drive: (drive) => drive.live(() => driveProxied(drive)),
};

async function driveProxied(drive: Drive): Promise<Proxied> {
  const proxy = customProxy(drive, 'v2');
  const { id, created } = await openTaskSession(drive, { customProxy: proxy });
  await drive.operations.call('v2.getSession', { path: [id] });
  await drive.operations.call('v2.listSessions', { query: { pageSize: 100 } });
  await drive.operations.call('v2.deleteSession', { path: [id] });
  return { username: proxy.username, password: proxy.password, created };
}
