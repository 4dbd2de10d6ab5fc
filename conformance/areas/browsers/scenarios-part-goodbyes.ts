import type { ClientKind, Departure } from '../../transport/cdp/index.ts';
import type { Drive } from '../../core/scenario.ts';
import {
  type LiveBrowser,
  type OpenedPage,
  type PageLook,
  attempt,
  launch,
  lookForPage,
  openPage,
  useBrowser,
} from '../common/observed-browser.ts';

/** A client that went away, and what the next one found. */
export interface Goodbye {
  client: ClientKind;
  departure: Departure;
  /** What the page that it had opened had to keep. */
  expected: string;
  /** What the next client found. */
  after: PageLook;
}

type Way = readonly [ClientKind, Departure];

/** The ways in which clients go away, in groups of which one requirement speaks each. */
const groups: readonly (readonly Way[])[] = [
  [
    ['raw', 'leave'],
    ['puppeteer', 'leave'],
  ],
  [
    ['raw', 'close'],
    ['playwright', 'close'],
    ['puppeteer', 'close'],
  ],
  [['raw', 'drop']],
];

/** Lets clients of these kinds go away in every way; `last` is the browser that was used at the end. */
export async function sayGoodbyes(
  drive: Drive,
  first: LiveBrowser,
  clients: readonly ClientKind[],
): Promise<{ goodbyes: Goodbye[]; last: LiveBrowser }> {
  const stage: Stage = { drive, browser: first, unvisited: false, goodbyes: [] };
  for (const group of groups) {
    for (const way of group.filter(([client]) => clients.includes(client))) if (!(await step(stage, way))) break;
  }
  return { goodbyes: stage.goodbyes, last: stage.browser };
}

interface Stage {
  drive: Drive;
  browser: LiveBrowser;
  /** True while nobody has been in the browser, which may still be starting. */
  unvisited: boolean;
  goodbyes: Goodbye[];
}

// False when the browser did not survive: the rest of the group would say nothing new.
async function step(stage: Stage, way: Way): Promise<boolean> {
  const said = await sayGoodbye(stage, way);
  if (said !== undefined) return note(stage, said);
  const { drive, browser } = stage;
  const alive = await attempt(() => useBrowser(drive, { browser, client: 'raw' }, (client) => client.ping()));
  // This kind of client cannot be attached here, which another check judges.
  if (!('fault' in alive)) return true;
  // The client before this one only looked and ended its connection in order, and now nobody is there.
  stage.goodbyes.push({ client: 'raw', departure: 'leave', expected: 'a browser', after: alive });
  if (!(await replace(stage))) return false;
  const again = await sayGoodbye(stage, way);
  return again === undefined || note(stage, again);
}

async function note(stage: Stage, goodbye: Goodbye): Promise<boolean> {
  stage.goodbyes.push(goodbye);
  if (goodbye.after.value === goodbye.expected) return true;
  await replace(stage);
  return false;
}

async function replace(stage: Stage): Promise<boolean> {
  const entry = stage.drive.ledger.find('browser', stage.browser.id);
  if (entry !== undefined) await stage.drive.things.end(entry);
  const { browser } = await launch(stage.drive, {});
  stage.browser = browser ?? stage.browser;
  stage.unvisited = browser !== undefined;
  return browser !== undefined;
}

// Undefined when the client cannot be attached, so that nothing was done.
async function sayGoodbye(stage: Stage, [client, departure]: Way): Promise<Goodbye | undefined> {
  const { drive, browser, unvisited } = stage;
  const { startDeadlineMs, settleDeadlineMs } = drive.target.polling;
  const expected = `${client}-${departure}`;
  let page: OpenedPage | undefined;
  await openPage(drive, browser, {
    client,
    deadlineMs: unvisited ? startDeadlineMs : settleDeadlineMs,
    kept: expected,
    meanwhile: async (opened, attached) => {
      page = opened;
      // An answer that never comes is a departure all the same.
      await attempt(async () => attached.departures[departure]?.());
    },
  });
  stage.unvisited = false;
  if (page === undefined) return undefined;
  await drive.pause(drive.target.polling.intervalMs);
  return { client, departure, expected, after: await lookForPage(drive, browser, page) };
}
