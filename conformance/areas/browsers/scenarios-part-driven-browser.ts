import { type ClientKind, clientKinds, isLasting } from '../../transport/cdp/index.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier } from '../../core/json.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type Goodbye, sayGoodbyes } from './scenarios-part-goodbyes.ts';
import { type LiveBrowser, attempt, keepValue, keptValue, launch, openPage } from '../common/observed-browser.ts';
import { type StopObservation, stopAndWatch } from './scenarios-part-stopped-browser.ts';

/** One kind of client on its own. */
export interface Visit {
  client: ClientKind;
  /** Why it could not open a page and work in it. */
  fault?: string;
}

/** One browser, from its creation to its stop. */
export interface DrivenBrowser {
  created: Exchange;
  /** Undefined when the creation was refused or its answer lacks id or cdpUrl. */
  browser: LiveBrowser | undefined;
  /** One visit per kind of client; empty without a browser. */
  visits: Visit[];
  /** What each client read in one page while all were attached; undefined when one of them could not work alone. */
  together: { values: (string | undefined)[]; expected: string } | { fault: string } | undefined;
  goodbyes: Goodbye[];
  /** Answers that show the record of the browser while it lives: the fetch, and the item of the list. */
  shown: { exchange: Exchange; record: JsonObject }[];
  stopped: StopObservation | undefined;
}

/** One standalone browser that every kind of client drives and leaves in every way, and that is stopped at the end. */
export const drivenBrowser: Scenario<DrivenBrowser> = {
  name: 'driven-browser',
  creates: 'one V4 browser that is driven over CDP and stopped, and another one each time it ends too early',
  spend: 'browser',
  browsers: () => 2,
  dispatches: 0,
  stateful: true,
  unavailable: noBrowsers,
  drive: (drive) => drive.live(() => driveBrowser(drive)),
};

async function driveBrowser(drive: Drive): Promise<DrivenBrowser> {
  const { created, browser } = await launch(drive, {});
  if (browser === undefined) {
    return { created, browser, visits: [], together: undefined, goodbyes: [], shown: [], stopped: undefined };
  }
  const shown = await recordsOf(drive, browser);
  const visits = await visitAll(drive, browser);
  const working = visits.filter(({ fault }) => fault === undefined).map(({ client }) => client);
  const together = working.length < visits.length ? undefined : await driveTogether(drive, browser);
  const { goodbyes, last } = await sayGoodbyes(drive, browser, working);
  return { created, browser, visits, together, goodbyes, shown, stopped: await stopAndWatch(drive, last) };
}

async function visitAll(drive: Drive, browser: LiveBrowser): Promise<Visit[]> {
  const visits: Visit[] = [];
  const { startDeadlineMs, settleDeadlineMs } = drive.target.polling;
  for (const client of clientKinds) {
    // The first one also waits until the browser is there.
    const patienceMs = visits.length === 0 ? startDeadlineMs : settleDeadlineMs;
    const isHopeless = visits.some(({ fault }) => fault !== undefined && isLasting(fault));
    const deadlineMs = isHopeless ? 0 : patienceMs;
    const opened = await openPage(drive, browser, { client, deadlineMs, kept: client });
    visits.push('fault' in opened ? { client, fault: opened.fault } : { client });
  }
  return visits;
}

async function driveTogether(drive: Drive, { cdpUrl }: LiveBrowser): Promise<DrivenBrowser['together']> {
  const [mark, expected] = ['svc-page-together-', 'together'];
  const read = await attempt(() =>
    drive.cdp.use('raw', cdpUrl, async (raw) => {
      await raw.open(mark);
      return drive.cdp.use('playwright', cdpUrl, (playwright) =>
        drive.cdp.use('puppeteer', cdpUrl, async (puppeteer) => {
          await raw.evaluate(mark, keepValue(expected));
          return Promise.all([raw, playwright, puppeteer].map((client) => client.evaluate(mark, keptValue)));
        }),
      );
    }),
  );
  return 'fault' in read ? read : { values: read.value, expected };
}

async function recordsOf(drive: Drive, { id }: LiveBrowser): Promise<DrivenBrowser['shown']> {
  const [fetched, list] = [await drive.browsers.get(id), await drive.browsers.list()];
  const shown: DrivenBrowser['shown'] = [];
  if (fetched !== undefined && succeeded(fetched))
    shown.push({ exchange: fetched, record: drive.browsers.recordOf(fetched) });
  const item =
    list === undefined ? undefined : drive.browsers.listed(list)?.find((record) => identifier(record['id']) === id);
  if (list !== undefined && item !== undefined) shown.push({ exchange: list, record: item });
  return shown;
}
