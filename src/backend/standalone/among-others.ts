import { noOwner } from '../storage/workers.ts';
import { type BrowserRow, bookTraffic, browserById } from '../storage/browsers.ts';
import type { StandaloneParts } from './create-standalone-browsers.ts';
import type { RunningBrowsers } from './running-browsers.ts';

type Parts = Pick<StandaloneParts, 'db' | 'owners'>;

/** The browser as this process has it, which takes one that nobody owns; null for one of another process. */
export async function takeBrowser({ db, owners }: Parts, browser: BrowserRow): Promise<BrowserRow | null> {
  if (owners.self === null) return browser;
  if (browser.owner === null)
    await db
      .updateTable('browsers')
      .set(owners.own())
      .where('id', '=', browser.id)
      .where('owner', 'is', null)
      .where('status', '=', 'active')
      .execute();
  const now = await browserById(db, browser.id);
  return now.owner === owners.self ? now : null;
}

/** Writes down what the browsers of this process have moved, so that others know it and it outlives them. */
export async function bookAllTraffic({ db, owners }: Parts, running: RunningBrowsers): Promise<void> {
  const rows = await db
    .selectFrom('browsers')
    .select(['id', 'proxy_bytes'])
    .where('owner', '=', owners.self)
    .where('status', '=', 'active')
    .execute();
  for (const { id, proxy_bytes: known } of rows) {
    const bytes = running.trafficBytes(id);
    if (bytes > known) await bookTraffic(db, id, bytes);
  }
}

/** What a worker owned that has left, or is dead, lives on without an owner: the next connection starts it again. */
export async function freeBrowsers(db: StandaloneParts['db'], owner: string): Promise<void> {
  // Its address stays the one of that worker, which may be started again there.
  await db.updateTable('browsers').set({ owner: noOwner.owner }).where('owner', '=', owner).execute();
}
