import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';

/** Something behind a proxy of its own, whose credentials nobody else has. */
export interface Proxied {
  username: string;
  password: string;
  created: Exchange;
}

/** A proxy that nobody has: nothing is sent through it. */
export function customProxy(
  { secret }: Drive,
  generation: string,
): { host: string; port: number; username: string; password: string } {
  const [username, password] = [secret(`${generation}-user`), secret(`${generation}-password`)];
  return { host: 'proxy.example.com', port: 8080, username, password };
}

const operations = ['v4.createBrowser', 'v4.getBrowser', 'v4.listBrowsers', 'v4.stopBrowser'] as const;

/** One V4 browser behind a custom proxy. */
export const proxiedBrowser: Scenario<Proxied> = {
  name: 'proxied-browser',
  creates: 'one V4 browser behind a custom proxy, stopped at once',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? notOffered(target, operations),
  drive: (drive) => drive.live(() => driveProxied(drive)),
};

async function driveProxied(drive: Drive): Promise<Proxied> {
  const proxy = customProxy(drive, 'v4');
  const created = await drive.operations.create('browser', 'v4.createBrowser', { body: { customProxy: proxy } });
  const id = identifier(memberAt(created.json, 'id'));
  if (!succeeded(created) || id === undefined) throw new NotTestable(`browser creation ${describeAnswer(created)}`);
  await drive.operations.call('v4.getBrowser', { path: [id] });
  await drive.operations.call('v4.listBrowsers', { query: { pageSize: 100 } });
  await drive.operations.call('v4.stopBrowser', { path: [id], body: { action: 'stop' } });
  // This look books the end in the ledger.
  await drive.browsers.get(id);
  return { username: proxy.username, password: proxy.password, created };
}
