import { isLasting } from '../../transport/cdp/index.ts';
import { type ClientKind, clientKinds, type Departure, type RawClient } from '../../core/cdp.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject } from '../../core/json.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  type Attempt,
  attempt,
  keepValue,
  keptValue,
  endBrowser,
  launch,
  type LiveBrowser,
  lookForPage,
  type OpenedPage,
  openPage,
  type PageLook,
  persist,
  useBrowser,
  isReached,
} from '../../common/observed-browser.ts';
import { tryCredentials } from '../../common/credentials.ts';

/** One client of a given kind that uses a browser while no other client is connected. */
export interface Visit {
  client: ClientKind;
  /** Reason why the client could not use a page. */
  fault?: string;
}

/** One browser from its creation to its stop. */
export interface DrivenBrowser {
  created: Exchange;
  /** The created browser; undefined when the creation was refused or its answer lacks `id` or `cdpUrl`. */
  browser: LiveBrowser | undefined;
  /** One visit per kind of client; empty without a browser and for a simulated browser. */
  visits: Visit[];
  /**
   * Values that the clients of all kinds read in one page while all were attached, and the value that the page stores
   * (`expected`). Undefined when a client could not use the browser alone.
   */
  together: { values: (string | undefined)[]; expected: string } | { fault: string } | undefined;
  /**
   * A long text as the raw client read it in a page, or the fault; undefined when this client could not use the
   * browser.
   */
  long: Attempt<string | undefined> | undefined;
  departureTrials: DepartureTrial[];
  /** Answers that show the record of the active browser: the fetch, and the list with an item for the browser. */
  shown: { exchange: Exchange; record: JsonObject }[];
  /**
   * URLs of the active browser in `shown` that differ from the URL of its creation. `fault` is the reason why no client
   * could connect; undefined if a client could.
   */
  otherAddresses: { exchange: Exchange; cdpUrl: string; fault: string | undefined }[];
  /** Connections to a simulated browser after a client had disconnected in each way; empty for any other browser. */
  reconnections: ConnectionAttempt[];
  /**
   * The fetch of a simulated browser that no client has used for a while; undefined for any other browser, and if the
   * target offers no fetch.
   */
  untouched: Exchange | undefined;
  /**
   * The fetch of the browser after attempts to read and to stop it without a usable key; undefined without a browser,
   * and if the target offers no fetch.
   */
  keyless: Exchange | undefined;
  /**
   * A connection after a client has closed every page. Undefined if no client could connect before, or if the pages
   * could not be closed although the browser still accepts connections.
   */
  emptied: Attempt<void> | undefined;
  stopped: StopObservation | undefined;
}

/** Creates a standalone browser and stops it. Records how each kind of client drives it and disconnects from it. */
export const drivenBrowser: Scenario<DrivenBrowser> = {
  name: 'driven-browser',
  creates: 'one V4 browser that is driven over CDP and stopped, and another one each time it ends too early',
  spend: 'browser',
  browsers: () => 2,
  dispatches: 0,
  stateful: true,
  unavailable: noBrowsers,
  run: (context) => context.live(() => driveBrowser(context)),
};

async function driveBrowser(context: ScenarioContext): Promise<DrivenBrowser> {
  const { created, browser } = await launch(context, {});
  if (browser === undefined) {
    const nothing = {
      visits: [],
      together: undefined,
      long: undefined,
      departureTrials: [],
      shown: [],
      otherAddresses: [],
      reconnections: [],
    };
    return {
      created,
      browser,
      ...nothing,
      untouched: undefined,
      keyless: undefined,
      emptied: undefined,
      stopped: undefined,
    };
  }
  const shown = await fetchRecords(context, browser);
  // A simulated browser has no pages to open.
  const isSimulated = context.target.v4?.browsers?.drivable === false;
  const reconnections = isSimulated ? await reconnect(context, browser) : [];
  const untouched = isSimulated ? await leaveAlone(context, browser) : undefined;
  const visits = isSimulated ? [] : await visitAll(context, browser);
  const otherAddresses = await tryOtherAddresses(context, browser, shown);
  const working = visits.filter(({ fault }) => fault === undefined).map(({ client }) => client);
  const long = working.includes('raw') ? await readLongText(context, browser) : undefined;
  const together = working.length < clientKinds.length ? undefined : await driveTogether(context, browser);
  const { departureTrials, last } = await tryDepartures(context, browser, working);
  await tryCredentials(context, [context.browsers.request('get', last.id), context.browsers.request('stop', last.id)]);
  const keyless = await context.browsers.get(last.id);
  const emptied = await closePages(context, last);
  const stopped = await stopAndWatch(context, last);
  const looks = { shown, otherAddresses, reconnections, untouched, keyless, emptied };
  return { created, browser, visits, together, long, departureTrials, ...looks, stopped };
}

/**
 * Connects to the URLs that the records of a browser show, if they differ from the URL that its creation returned.
 * Returns an empty list if no client can connect to the URL from the creation.
 */
async function tryOtherAddresses(
  context: ScenarioContext,
  { cdpUrl: created }: LiveBrowser,
  shown: DrivenBrowser['shown'],
): Promise<DrivenBrowser['otherAddresses']> {
  const others = shown.flatMap(({ exchange, record: { cdpUrl } }) =>
    typeof cdpUrl === 'string' && cdpUrl !== created ? [{ exchange, cdpUrl }] : [],
  );
  const connect = (url: string): Promise<Attempt<void>> =>
    attempt(() => context.cdp.use('raw', url, (client) => client.ping()));
  if (others.length === 0 || 'fault' in (await connect(created))) return [];
  const tried: DrivenBrowser['otherAddresses'] = [];
  for (const { exchange, cdpUrl } of others) {
    const result = await connect(cdpUrl);
    tried.push({ exchange, cdpUrl, fault: 'fault' in result ? result.fault : undefined });
  }
  return tried;
}

/** Time in ms without a client before the record of a simulated browser is fetched. */
const aloneMs = 2000;

async function leaveAlone(context: ScenarioContext, { id }: LiveBrowser): Promise<Exchange | undefined> {
  await context.pause(aloneMs);
  return context.browsers.get(id);
}

/** One attempt to connect to a browser after an earlier client disconnected in one of several ways. */
export interface ConnectionAttempt {
  departure: Departure;
  /** Reason why the connection failed. */
  fault?: string;
}

/**
 * Connects to a simulated browser, disconnects in each way, and connects again after each disconnect. Returns an empty
 * list if no browser answers at the URL.
 */
async function reconnect(context: ScenarioContext, browser: LiveBrowser): Promise<ConnectionAttempt[]> {
  const connect = (use: (client: RawClient) => Promise<void>): Promise<Attempt<void>> =>
    attempt(() => useBrowser(context, { browser, client: 'raw' }, use));
  const reconnections: ConnectionAttempt[] = [];
  if ('fault' in (await connect((client) => client.ping()))) return reconnections;
  for (const departure of ['leave', 'close', 'drop'] as const) {
    await connect(async (client) => {
      // A departure without an answer also counts as a departure.
      await attempt(async () => client.departures[departure]?.());
    });
    const next = await connect((client) => client.ping());
    reconnections.push({ departure, ...('fault' in next ? { fault: next.fault } : {}) });
  }
  return reconnections;
}

async function closePages(context: ScenarioContext, browser: LiveBrowser): Promise<DrivenBrowser['emptied']> {
  const connect = (use: (client: RawClient) => Promise<void>): Promise<void> =>
    useBrowser(context, { browser, client: 'raw' }, use);
  if ('fault' in (await attempt(() => connect((client) => client.ping())))) return undefined;
  const closed = await attempt(() => connect((client) => client.closePages()));
  const next = await persist(context, context.target.polling.settleDeadlineMs, () =>
    connect((client) => client.ping()),
  );
  // A browser that ends with its last page may end before it answers.
  return 'fault' in closed && !('fault' in next) ? undefined : next;
}

async function visitAll(context: ScenarioContext, browser: LiveBrowser): Promise<Visit[]> {
  const visits: Visit[] = [];
  const { startDeadlineMs, settleDeadlineMs } = context.target.polling;
  for (const client of clientKinds) {
    // The first visit also waits for the browser to start.
    const visitDeadlineMs = visits.length === 0 ? startDeadlineMs : settleDeadlineMs;
    const isHopeless = visits.some(({ fault }) => fault !== undefined && isLasting(fault));
    const deadlineMs = isHopeless ? 0 : visitDeadlineMs;
    const opened = await openPage(context, browser, { client, deadlineMs, kept: client });
    visits.push('fault' in opened ? { client, fault: opened.fault } : { client });
  }
  return visits;
}

/** Long text that a client reads from a page: more than a million bytes in the CDP message of Chromium. */
export const longText = '\u2713'.repeat(200_000);

/**
 * Reads a long text from a page. Tries a second time, because one connection may break. Returns undefined if both
 * attempts fail and no client can connect any more.
 */
async function readLongText(context: ScenarioContext, browser: LiveBrowser): Promise<DrivenBrowser['long']> {
  const read = (): Promise<Attempt<string | undefined>> =>
    attempt(() =>
      useBrowser(context, { browser, client: 'raw' }, async (raw) => {
        const mark = context.mark();
        await raw.open(mark);
        return raw.evaluate(mark, `'\\u2713'.repeat(${longText.length})`);
      }),
    );
  const first = await read();
  const next = 'fault' in first ? await read() : first;
  if ('value' in next) return next;
  // Another check judges a browser that has ended.
  const alive = await attempt(() => useBrowser(context, { browser, client: 'raw' }, (raw) => raw.ping()));
  return 'fault' in alive ? undefined : next;
}

async function driveTogether(context: ScenarioContext, { cdpUrl }: LiveBrowser): Promise<DrivenBrowser['together']> {
  const [mark, expected] = ['svc-page-together-', 'together'];
  const read = await attempt(() =>
    context.cdp.use('raw', cdpUrl, async (raw) => {
      await raw.open(mark);
      return context.cdp.use('playwright', cdpUrl, (playwright) =>
        context.cdp.use('puppeteer', cdpUrl, async (puppeteer) => {
          await raw.evaluate(mark, keepValue(expected));
          return Promise.all([raw, playwright, puppeteer].map((client) => client.evaluate(mark, keptValue)));
        }),
      );
    }),
  );
  return 'fault' in read ? read : { values: read.value, expected };
}

async function fetchRecords(context: ScenarioContext, { id }: LiveBrowser): Promise<DrivenBrowser['shown']> {
  const [fetched, list] = [await context.browsers.get(id), await context.browsers.list()];
  const shown: DrivenBrowser['shown'] = [];
  if (fetched !== undefined && succeeded(fetched))
    shown.push({ exchange: fetched, record: context.browsers.readRecord(fetched) });
  const item =
    list === undefined ? undefined : context.browsers.listed(list)?.find((record) => identifier(record['id']) === id);
  if (list !== undefined && item !== undefined) shown.push({ exchange: list, record: item });
  return shown;
}

/**
 * The stop of a browser, and the last observation after it: when the browser had ended, or at the settle deadline.
 * After a stop that did not succeed, there is one observation.
 */
export interface StopObservation {
  /** The record of the browser before the stop; undefined if the target offers no fetch. */
  before: Exchange | undefined;
  /**
   * Answer to the stop: `respelled` if the first stop succeeded, otherwise the answer to a second stop with the usual
   * body.
   */
  exchange: Exchange;
  /** Answer to the first stop. Its body is the usual JSON with additional white space and an escaped letter. */
  respelled: Exchange;
  /** True when a new client could use the browser through its URL at the last observation. */
  works: boolean;
  /**
   * True when a client that was attached before the stop could still drive the browser at the last observation;
   * undefined when no client was attached.
   */
  driven: boolean | undefined;
  /** The last fetch of the browser; undefined if the target offers no fetch. */
  after: Exchange | undefined;
  /**
   * Whether the last fetch shows that the browser has ended; undefined without a fetch, or when its record does not
   * tell.
   */
  ended: boolean | undefined;
}

/**
 * Stops a browser while a client is attached to it, if one can be attached. Polls the browser until it has ended or the
 * settle deadline has passed, and returns the last observation. After a stop that did not succeed, observes the browser
 * once.
 */
async function stopAndWatch(context: ScenarioContext, browser: LiveBrowser): Promise<StopObservation> {
  const before = await context.browsers.get(browser.id);
  let seen: StopObservation | undefined;
  await attempt(() =>
    context.cdp.use('raw', browser.cdpUrl, async (client) => {
      seen = await stop(context, { ...browser, before, client });
    }),
  );
  // No client could be attached, so the browser is stopped without a client.
  return seen ?? stop(context, { ...browser, before, client: undefined });
}

interface Stopping extends LiveBrowser {
  before: Exchange | undefined;
  client: RawClient | undefined;
}

async function stop(context: ScenarioContext, { id, cdpUrl, before, client }: Stopping): Promise<StopObservation> {
  const respelled = await stopRespelled(context, id);
  const exchange = succeeded(respelled) ? respelled : await context.browsers.stop(id);
  const deadline = context.nowMs() + (succeeded(exchange) ? context.target.polling.settleDeadlineMs : 0);
  const look = async (): Promise<StopObservation> => {
    const driven = client === undefined ? undefined : !('fault' in (await attempt(() => client.ping())));
    const works = await isReached(context, cdpUrl);
    const after = await context.browsers.get(id);
    const ended = after === undefined ? undefined : context.browsers.hasEnded(after);
    return { before, exchange, respelled, works, driven, after, ended };
  };
  let seen = await look();
  while ((seen.works || seen.driven === true || seen.ended === false) && context.nowMs() < deadline) {
    await context.pause(context.target.polling.intervalMs);
    seen = await look();
  }
  const entry = context.ledger.find('browser', id);
  const over = succeeded(exchange) && !seen.works && seen.driven !== true && seen.ended !== false;
  // The target may refuse a second stop, so clean-up must not stop the browser again.
  if (over && entry !== undefined) context.ledger.update(entry, { state: 'ended' });
  return seen;
}

/** Sends the stop operation with a body that is equivalent JSON: with additional white space and an escaped letter. */
async function stopRespelled(context: ScenarioContext, id: string): Promise<Exchange> {
  const spec = context.browsers.request('stop', id);
  if (spec === undefined) return context.browsers.stop(id);
  const { body: _plain, ...place } = spec;
  return context.send({ ...place, rawBody: '{\n  "action" : "st\\u006fp"\n}' });
}

/** A disconnect of one client, and the page as the next client found it. */
export interface DepartureTrial {
  client: ClientKind;
  departure: Departure;
  /** Value that the page of the disconnected client had to keep. */
  expected: string;
  /** The page of the disconnected client as the next client found it. */
  after: PageLook;
}

type Way = readonly [ClientKind, Departure];

/** Ways in which clients disconnect. One requirement covers each group. */
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

/**
 * Disconnects clients of the given kinds in the ways of `groups`. If the browser does not survive a disconnect, skips
 * the rest of the group and replaces the browser. Returns the trials and the browser that was used last.
 */
async function tryDepartures(
  context: ScenarioContext,
  first: LiveBrowser,
  clients: readonly ClientKind[],
): Promise<{ departureTrials: DepartureTrial[]; last: LiveBrowser }> {
  const stage: Stage = { context, browser: first, unvisited: false, departureTrials: [] };
  for (const group of groups) {
    for (const way of group.filter(([client]) => clients.includes(client))) if (!(await step(stage, way))) break;
  }
  return { departureTrials: stage.departureTrials, last: stage.browser };
}

interface Stage {
  context: ScenarioContext;
  browser: LiveBrowser;
  /** True until a client has connected to the browser, which may still be starting. */
  unvisited: boolean;
  departureTrials: DepartureTrial[];
}

/**
 * Lets one client disconnect, and records the trial. Returns false when the browser did not survive: further trials of
 * the group would add no evidence.
 */
async function step(stage: Stage, way: Way): Promise<boolean> {
  const said = await depart(stage, way);
  if (said !== undefined) return note(stage, said);
  const { context, browser } = stage;
  const alive = await attempt(() => useBrowser(context, { browser, client: 'raw' }, (client) => client.ping()));
  // This kind of client cannot be attached here; another check judges that.
  if (!('fault' in alive)) return true;
  // The client before this one disconnected in order, and the browser ended after that.
  stage.departureTrials.push({ client: 'raw', departure: 'leave', expected: 'a browser', after: alive });
  if (!(await replace(stage))) return false;
  const again = await depart(stage, way);
  return again === undefined || note(stage, again);
}

async function note(stage: Stage, trial: DepartureTrial): Promise<boolean> {
  stage.departureTrials.push(trial);
  if (trial.after.value === trial.expected) return true;
  await replace(stage);
  return false;
}

async function replace(stage: Stage): Promise<boolean> {
  await endBrowser(stage.context, stage.browser);
  const { browser } = await launch(stage.context, {});
  stage.browser = browser ?? stage.browser;
  stage.unvisited = browser !== undefined;
  return browser !== undefined;
}

/**
 * Opens a page with a client, disconnects the client, and searches for the page. Returns undefined when the client
 * cannot be attached.
 */
async function depart(stage: Stage, [client, departure]: Way): Promise<DepartureTrial | undefined> {
  const { context, browser, unvisited } = stage;
  const { startDeadlineMs, settleDeadlineMs } = context.target.polling;
  const expected = `${client}-${departure}`;
  let page: OpenedPage | undefined;
  await openPage(context, browser, {
    client,
    deadlineMs: unvisited ? startDeadlineMs : settleDeadlineMs,
    kept: expected,
    meanwhile: async (opened, attached) => {
      page = opened;
      // A departure without an answer also counts as a departure.
      await attempt(async () => attached.departures[departure]?.());
    },
  });
  stage.unvisited = false;
  if (page === undefined) return undefined;
  await context.pause(context.target.polling.intervalMs);
  return { client, departure, expected, after: await lookForPage(context, browser, page) };
}
