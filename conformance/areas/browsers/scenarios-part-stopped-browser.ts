import type { RawClient } from '../../transport/cdp/index.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import type { Drive } from '../../core/scenario.ts';
import { type LiveBrowser, attempt } from '../common/observed-browser.ts';

/** The stop of a browser, and what was seen of it until the settle deadline of the target. */
export interface StopObservation {
  /** The browser right before; undefined where the target offers no fetch. */
  before: Exchange | undefined;
  /** Answer to the stop operation. */
  exchange: Exchange;
  /** True when the address still gave a working browser at the end. */
  works: boolean;
  /** True when a client that was attached before the stop could still drive the browser; undefined when none was attached. */
  driven: boolean | undefined;
  /** The last fetch; undefined where the target offers none. */
  after: Exchange | undefined;
  /** What the record says at the end; undefined when it says nothing. */
  ended: boolean | undefined;
}

/** Stops a browser while a client is attached to it, and watches until it has ended. */
export async function stopAndWatch(drive: Drive, browser: LiveBrowser): Promise<StopObservation> {
  const before = await drive.browsers.get(browser.id);
  let seen: StopObservation | undefined;
  await attempt(() =>
    drive.cdp.use('raw', browser.cdpUrl, async (client) => {
      seen = await stop(drive, { ...browser, before, client });
    }),
  );
  // No client could be attached, so that none can be held.
  return seen ?? stop(drive, { ...browser, before, client: undefined });
}

interface Stopping extends LiveBrowser {
  before: Exchange | undefined;
  client: RawClient | undefined;
}

async function stop(drive: Drive, { id, cdpUrl, before, client }: Stopping): Promise<StopObservation> {
  const exchange = await drive.browsers.stop(id);
  const deadline = drive.nowMs() + (succeeded(exchange) ? drive.target.polling.settleDeadlineMs : 0);
  const look = async (): Promise<StopObservation> => {
    const driven = client === undefined ? undefined : await answers(() => client.ping());
    const works = await answers(() => drive.cdp.use('raw', cdpUrl, (fresh) => fresh.ping()));
    const after = await drive.browsers.get(id);
    const ended = after === undefined ? undefined : drive.browsers.hasEnded(after);
    return { before, exchange, works, driven, after, ended };
  };
  let seen = await look();
  while ((seen.works || seen.driven === true || seen.ended === false) && drive.nowMs() < deadline) {
    await drive.pause(drive.target.polling.intervalMs);
    seen = await look();
  }
  const entry = drive.ledger.find('browser', id);
  const over = succeeded(exchange) && !seen.works && seen.driven !== true && seen.ended !== false;
  // A second stop of what has ended may be refused, so clean-up must not try.
  if (over && entry !== undefined) drive.ledger.update(entry, { state: 'ended' });
  return seen;
}

async function answers(call: () => Promise<void>): Promise<boolean> {
  return !('fault' in (await attempt(call)));
}
