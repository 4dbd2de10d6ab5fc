import { noBrowsers } from '../../ledger/browser-api.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { launch, persist, useBrowser } from '../common/observed-browser.ts';
import { ownLooks } from './scenarios-part-foreign-attempts.ts';
import { tryEverything } from './scenarios-part-two-keys.ts';
import { type Tenancy, asOther, makeAttempts } from './scenarios-part-tenancy.ts';

/** What another project tried on a browser. */
export interface TenancyBrowser extends Tenancy {
  /** True when a client could still drive the browser afterwards. */
  works: boolean;
}

/** One standalone browser that another project tries to reach. */
export const tenancyBrowser: Scenario<TenancyBrowser> = {
  name: 'tenancy-browser',
  creates: 'one V4 browser for another project to try',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  needsOtherKey: true,
  unavailable: noBrowsers,
  drive: (drive) => drive.live(() => tryBrowser(drive)),
};

async function tryBrowser(drive: Drive): Promise<TenancyBrowser> {
  const { browsers } = drive;
  const { startDeadlineMs, settleDeadlineMs } = drive.target.polling;
  const send = await asOther(drive, 'v4');
  const { created, browser } = await launch(drive, {});
  if (browser === undefined) throw new NotTestable('no browser was created, or its answer lacks id or cdpUrl');
  const { id } = browser;
  const ping = (): Promise<void> => useBrowser(drive, { browser, client: 'raw' }, (client) => client.ping());
  const started = await persist(drive, startDeadlineMs, ping);
  if ('fault' in started) throw new NotTestable(`no client could be attached to the browser: ${started.fault}`);
  const before = (await browsers.get(id)) ?? created;
  if (!succeeded(before)) throw new NotTestable(`the owner's own look ${describeAnswer(before)}`);
  const looks = await ownLooks(drive, { ids: { browser: id } });
  const attempts = await makeAttempts(send, [
    { does: 'read', spec: browsers.request('get', id) },
    { does: 'list', spec: browsers.request('list', id) },
    { does: 'end', spec: browsers.request('stop', id) },
  ]);
  const after = (await browsers.get(id)) ?? created;
  const all = await tryEverything(drive, { ids: { browser: id } }, { lists: ['v4.listBrowsers'], before: looks });
  const works = !('fault' in (await persist(drive, settleDeadlineMs, ping)));
  const entry = drive.ledger.find('browser', id);
  if (entry !== undefined) await drive.things.end(entry);
  return { id, before, after, attempts, works, all };
}
