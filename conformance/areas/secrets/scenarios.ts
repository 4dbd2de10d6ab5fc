import { describeAnswer, succeeded } from '../../core/exchange.ts';
import { notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { runTask } from '../../common/observed-session.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { openTaskSession } from '../../common/open-task-session.ts';

/** One V3 session whose task was given a secret value. */
export interface SecretSession {
  value: string;
}

/** Creates one V3 session with sensitive data, and reads its messages after the task. */
export const secretSession: Scenario<SecretSession> = {
  name: 'secret-session',
  creates: 'one V3 session with a task and a sensitive value',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => notOffered(target, ['v3.createSession', 'v3.listMessages']),
  run: (context) => context.live(() => driveSecret(context)),
};

async function driveSecret(context: ScenarioContext): Promise<SecretSession> {
  const value = context.secret('v3');
  const task = context.target.tasks.succeed;
  const body = { ...sessionProbe(context.target), task, sensitiveData: { password: value } };
  const session = await runTask(context, body);
  await context.operations.call('v3.listMessages', { path: [session.id], query: { limit: 100 } });
  return { value };
}

/** A resource behind a custom proxy with unique credentials. */
export interface Proxied {
  username: string;
  password: string;
}

/** Returns the address and unique credentials of a proxy that does not exist. No traffic passes through this proxy. */
function customProxy(
  { secret }: ScenarioContext,
  generation: string,
): { host: string; port: number; username: string; password: string } {
  const [username, password] = [secret(`${generation}-user`), secret(`${generation}-password`)];
  return { host: 'proxy.example.com', port: 8080, username, password };
}

const operations = ['v4.createBrowser', 'v4.getBrowser', 'v4.listBrowsers', 'v4.stopBrowser'] as const;

/** Creates one V4 browser behind a custom proxy, reads it by id and in the list, and stops it. */
export const proxiedBrowser: Scenario<Proxied> = {
  name: 'proxied-browser',
  creates: 'one V4 browser behind a custom proxy, stopped at once',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? notOffered(target, operations),
  run: (context) => context.live(() => driveProxied(context)),
};

async function driveProxied(context: ScenarioContext): Promise<Proxied> {
  const proxy = customProxy(context, 'v4');
  const created = await context.operations.create('browser', 'v4.createBrowser', { body: { customProxy: proxy } });
  const id = identifier(memberAt(created.json, 'id'));
  if (!succeeded(created) || id === undefined) throw new NotTestable(`browser creation ${describeAnswer(created)}`);
  await context.operations.call('v4.getBrowser', { path: [id] });
  await context.operations.call('v4.listBrowsers', { query: { pageSize: 100 } });
  await context.operations.call('v4.stopBrowser', { path: [id], body: { action: 'stop' } });
  // This fetch records the end of the browser in the ledger.
  await context.browsers.get(id);
  return { username: proxy.username, password: proxy.password };
}

const sessionOperations = ['v2.createSession', 'v2.getSession', 'v2.listSessions', 'v2.deleteSession'] as const;

/** Creates one V2 session behind a custom proxy, reads it by id and in the list, and deletes it. */
export const proxiedSession: Scenario<Proxied> = {
  name: 'proxied-session',
  creates: 'one V2 session behind a custom proxy, deleted at once',
  spend: 'task',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, sessionOperations),
  run: (context) => context.live(() => driveProxiedSession(context)),
};

async function driveProxiedSession(context: ScenarioContext): Promise<Proxied> {
  const proxy = customProxy(context, 'v2');
  const { id } = await openTaskSession(context, { customProxy: proxy });
  await context.operations.call('v2.getSession', { path: [id] });
  await context.operations.call('v2.listSessions', { query: { pageSize: 100 } });
  await context.operations.call('v2.deleteSession', { path: [id] });
  return { username: proxy.username, password: proxy.password };
}
