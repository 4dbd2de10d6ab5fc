import { tryCredentials } from '../../common/credentials.ts';
import {
  attempt,
  keptValue,
  launch,
  type LiveBrowser,
  openPage,
  useBrowser,
  isReached,
} from '../../common/observed-browser.ts';
import { openAddress } from '../../common/session-share.ts';
import { type Exchange, isCapacity, refused } from '../../core/exchange.ts';
import { identifier, type JsonValue, memberAt } from '../../core/json.ts';
import { encodePart } from '../../core/path-with-id.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { generationUrl } from '../../core/target.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import { type BrowserBills, type NamedRecord, readBills } from './scenarios-bills.ts';
import { connectAndLeave, type EndedBrowser, endOne, launchWith, noteRecords, reach } from './scenarios-ends.ts';

/** A browser with the proxy country `us` and a browser without a proxy, and the requests that were sent to them. */
export interface BrowserPair {
  /** Answers to the creations with the proxy countries `us` and null. */
  defaults: { country: string | null; exchange: Exchange }[];
  /** Answers to invalid bodies of the stop operation, for a live browser. */
  wrongActions: { body: JsonValue; exchange: Exchange }[];
  /**
   * Records of the browsers after requests and events that must not stop them; empty if no record shows the browser
   * with `us` as active.
   */
  attempts: NamedRecord[];
  /** Stops of the two browsers and of a third browser, which was created for a longer time. */
  stops: EndedBrowser[];
  /** Records of the stopped browser with `us` after further requests to its stop operation. */
  revivals: NamedRecord[];
  /**
   * Isolation of two browsers: `value` is the value stored in a page of the first browser, if the second browser shows
   * this page. Undefined if a browser could not be driven.
   */
  shared: { created: Exchange; value: string | undefined } | undefined;
  bills: BrowserBills | undefined;
}

/** The browsers of the pair while they live. */
interface Living {
  us: LiveBrowser | undefined;
  none: LiveBrowser | undefined;
}

/**
 * Timeout, in minutes, of the browser without a proxy: so short that its end by another unit of time is seen, and that
 * the cost of a longer time that was not refunded is a multiple of its cost.
 */
const briefMinutes = 2;

/**
 * Creates a browser without a proxy for `briefMinutes` and with a recording. If the target refuses these members,
 * creates it without the recording, or without both.
 */
async function launchBrief(context: ScenarioContext): ReturnType<typeof launch> {
  const body = { proxyCountryCode: null };
  const brief = await launchWith(context, { ...body, timeout: briefMinutes }, { enableRecording: true });
  return refused(brief.created) && !isCapacity(brief.created.status) ? launch(context, body) : brief;
}

/**
 * Returns true if a browser was created less than `briefMinutes` ago. A browser that was created for this time may end
 * by itself later.
 */
function isWithinTimeout({ nowMs }: ScenarioContext, { created }: LiveBrowser): boolean {
  return nowMs() - created.atMs < briefMinutes * 60_000;
}

/**
 * Fetches the record of a browser after a request and adds it to `attempts` under the request's name, unless the
 * browser may have ended by its timeout.
 */
async function noteWithinTimeout(
  context: ScenarioContext,
  browser: LiveBrowser,
  { attempts, name }: { attempts: NamedRecord[]; name: string },
): Promise<void> {
  const seen: NamedRecord[] = [];
  await noteRecords(context, browser.id, seen)(name);
  if (isWithinTimeout(context, browser)) attempts.push(...seen);
}

/**
 * Creates a browser with the proxy country `us` and a browser with null for `briefMinutes`, sends requests that must
 * not stop them, and calls `meanwhile`. Then stops the browsers one after the other.
 */
export async function createPair(context: ScenarioContext, meanwhile: () => Promise<void>): Promise<BrowserPair> {
  const us = await launch(context, { proxyCountryCode: 'us' });
  const { wrongActions, attempts, before } = await disturb(context, us.browser);
  const tried = await launchBrief(context);
  const isShown = before !== undefined;
  if (isShown && tried.browser !== undefined)
    attempts.push(...(await connectAndLeave(context, tried.browser, 'without a proxy')));
  const living = isShown ? { us: us.browser, none: tried.browser } : undefined;
  attempts.push(...(await lookLater(context, living, { meanwhile, before })));
  const first = us.browser === undefined ? undefined : await endBesideClient(context, us.browser, tried.browser);
  // A project may have room for one browser at a time.
  const none = isCapacity(tried.created.status) ? await launchBrief(context) : tried;
  const revivals = await stopAgain(context, us.browser, first);
  const rest = await endSecond(context, none.browser, { former: us.browser, first, attempts });
  const defaults = [
    { country: 'us', exchange: us.created },
    { country: null, exchange: none.created },
  ];
  const { second, spare, ...seen } = rest;
  const stops = [first, second, spare].filter((stop) => stop !== undefined);
  return { defaults, wrongActions, attempts, stops, revivals, ...seen };
}

/**
 * Sends requests that must not stop a browser. `before` is its record before these requests; undefined if no record
 * shows the browser as active.
 */
async function disturb(
  context: ScenarioContext,
  browser: LiveBrowser | undefined,
): Promise<Pick<BrowserPair, 'wrongActions' | 'attempts'> & { before: Exchange | undefined }> {
  if (browser === undefined) return { wrongActions: [], attempts: [], before: undefined };
  const fetched = await context.browsers.get(browser.id);
  const wrongActions = await sendWrongActions(context, browser);
  const before = fetched !== undefined && context.browsers.hasEnded(fetched) === false ? fetched : undefined;
  const attempts = before === undefined ? [] : await sendOtherRequests(context, browser);
  return { wrongActions, attempts, before };
}

/**
 * Duration of the wait after the requests that must not stop a browser: a number of polling intervals, at most `mostMs`
 * milliseconds.
 */
const lingering = { intervals: 35, mostMs: 3500 };

/**
 * Opens the live view of the browser `us`, disconnects its clients in several ways, and sends the stop of the browser
 * `none` without a usable key. Calls `meanwhile`, and fetches the records some time later, because a server may end a
 * browser with a delay. If no record shows `us` as active, or the target is stateless, calls `meanwhile` and does
 * nothing else.
 */
async function lookLater(
  context: ScenarioContext,
  living: Living | undefined,
  { meanwhile, before }: { meanwhile: () => Promise<void>; before: Exchange | undefined },
): Promise<NamedRecord[]> {
  if (living?.us === undefined || context.target.stateless) {
    await meanwhile();
    return [];
  }
  const { us, none } = living;
  const liveUrl = memberAt(before?.json, 'liveUrl');
  if (typeof liveUrl === 'string' && URL.canParse(liveUrl)) await openAddress(context, liveUrl);
  await leaveInEachWay(context, us);
  if (none !== undefined) await tryCredentials(context, [context.browsers.request('stop', none.id)]);
  const { intervals, mostMs } = lingering;
  const until = context.nowMs() + Math.min(mostMs, intervals * context.target.polling.intervalMs);
  await meanwhile();
  await context.pause(Math.max(0, until - context.nowMs()));
  const attempts: NamedRecord[] = [];
  await noteRecords(context, us.id, attempts)('clients that had closed its pages, the browser object or a connection');
  const name = 'requests without a usable key and a client';
  if (none !== undefined) await noteWithinTimeout(context, none, { attempts, name });
  return attempts;
}

/**
 * Disconnects three clients of a browser, one after the other: one closes the pages, one closes the browser object and
 * one drops its connection. The last two open a page before, if the browser opens one. Does nothing if no browser
 * answers.
 */
async function leaveInEachWay(context: ScenarioContext, browser: LiveBrowser): Promise<void> {
  if ('fault' in (await reach(context, browser))) return;
  const { cdpUrl } = browser;
  await attempt(() => context.cdp.use('raw', cdpUrl, (client) => client.closePages()));
  for (const departure of ['close', 'drop'] as const)
    await attempt(() =>
      context.cdp.use('raw', cdpUrl, async (client) => {
        // A simulated browser may open no page.
        await attempt(() => client.open(context.mark()));
        await client.departures[departure]?.();
      }),
    );
}

/**
 * Stops a browser while a client is connected to `other`, if `other` accepts clients, and records whether this client
 * loses its connection.
 */
async function endBesideClient(
  context: ScenarioContext,
  browser: LiveBrowser,
  other: LiveBrowser | undefined,
): Promise<EndedBrowser | undefined> {
  let stop: EndedBrowser | undefined;
  if (other !== undefined && !context.target.stateless)
    await attempt(() =>
      context.cdp.use('raw', other.cdpUrl, async (client) => {
        await client.ping();
        stop = await endOne(context, browser);
        const next = await attempt(() => client.ping());
        if (stop !== undefined && isWithinTimeout(context, other)) stop.isNeighborCut = 'fault' in next;
      }),
    );
  return stop ?? endOne(context, browser);
}

/**
 * Sends an action other than `stop`, and a second stop, to a browser that has ended. Fetches its record after each
 * request.
 */
async function stopAgain(
  context: ScenarioContext,
  browser: LiveBrowser | undefined,
  stop: EndedBrowser | undefined,
): Promise<NamedRecord[]> {
  const revivals: NamedRecord[] = [];
  if (browser === undefined || stop?.ended !== true || context.target.stateless) return revivals;
  const { id } = browser;
  const note = noteRecords(context, id, revivals);
  await context.browsers.stop(id, { action: 'restart' });
  await note('the action restart');
  await context.browsers.stop(id);
  await note('a second stop');
  return revivals;
}

interface Ending {
  second?: EndedBrowser | undefined;
  spare?: EndedBrowser | undefined;
  shared: BrowserPair['shared'];
  bills: BrowserBills | undefined;
}

/** The first browser that was stopped, its stop, and the records that were fetched of live browsers so far. */
interface Former {
  former: LiveBrowser | undefined;
  first: EndedBrowser | undefined;
  /** Records of live browsers. Unless this list is empty, a record of the remaining browser is added to it. */
  attempts: NamedRecord[];
}

/**
 * Creates another browser without a proxy, for a longer time, while `browser` is active. Compares the pages of both
 * browsers and connects to the URL of `former`. Then ends them as {@link endAll} does, so that the refund of the other
 * browser must follow its own time.
 */
async function endSecond(
  context: ScenarioContext,
  browser: LiveBrowser | undefined,
  { former, first, attempts }: Former,
): Promise<Ending> {
  if (browser === undefined) return { shared: undefined, bills: undefined };
  if (context.target.stateless) return { second: await endOne(context, browser), shared: undefined, bills: undefined };
  const spare = await launchSpare(context);
  const name = 'the creation of another browser without a proxy';
  if (spare !== undefined && attempts.length > 0) await noteWithinTimeout(context, browser, { attempts, name });
  const shared = spare === undefined ? undefined : await comparePages(context, browser, spare);
  // The URL of a stopped browser may lead to a browser that was created after the stop.
  if (former !== undefined && first?.isReached === false) first.isReused = await isReached(context, former.cdpUrl);
  return { shared, ...(await endAll(context, { browser, active: findActive(browser, attempts) }, spare)) };
}

/**
 * Ends the browser `spare` while a third browser for the default time is active, which no client uses. Then ends the
 * rest, and reads the costs of all three.
 */
async function endAll(
  context: ScenarioContext,
  billed: Parameters<typeof readBills>[1],
  spare: LiveBrowser | undefined,
): Promise<Omit<Ending, 'shared'>> {
  const early = await launch(context, { proxyCountryCode: null });
  const spareStop = spare === undefined ? undefined : await endOne(context, spare);
  const unused = await stopUnused(context, early);
  const second = await endOne(context, billed.browser);
  const others = { [`a browser for ${longMinutes} minutes`]: spare, 'a browser that no client has used': unused };
  const bills = second?.ended === true ? await compareBills(context, billed, others) : undefined;
  return { second, spare: spareStop, bills };
}

/** Reads the costs of a stopped browser, and of others unless the browser may have ended by its timeout before them. */
function compareBills(
  context: ScenarioContext,
  billed: Parameters<typeof readBills>[1],
  others: Parameters<typeof readBills>[2],
): ReturnType<typeof readBills> {
  return readBills(context, billed, isWithinTimeout(context, billed.browser) ? others : {});
}

/** Returns the last record of a live browser in `attempts`, or the answer to its creation. */
function findActive({ id, created }: LiveBrowser, attempts: readonly NamedRecord[]): Exchange {
  return attempts.findLast(({ record }) => identifier(memberAt(record.json, 'id')) === id)?.record ?? created;
}

/**
 * Creates a browser without a proxy, for a longer time and with a screen size, or without the size if the target
 * refuses it. Returns undefined if no browser was created, or its answer lacks `id` or `cdpUrl`.
 */
async function launchSpare(context: ScenarioContext): Promise<LiveBrowser | undefined> {
  const size = { browserScreenWidth: 1280, browserScreenHeight: 720 };
  return (await launchWith(context, { proxyCountryCode: null, timeout: longMinutes }, size)).browser;
}

/**
 * Stops a browser before any client connects. Creates it if its first creation found no room. Returns undefined if the
 * browser has not ended.
 */
async function stopUnused(
  context: ScenarioContext,
  { created, browser: early }: Awaited<ReturnType<typeof launch>>,
): Promise<LiveBrowser | undefined> {
  const isLate = isCapacity(created.status);
  const browser = isLate ? (await launch(context, { proxyCountryCode: null })).browser : early;
  const entry = browser && context.ledger.find('browser', browser.id);
  return entry !== undefined && (await context.resources.end(entry)) ? browser : undefined;
}

/** Timeout, in minutes, of a browser that is created for a longer time: the maximum in the companion. */
export const longMinutes = 240;

/**
 * Opens a page in one browser and searches for this page in another browser. Returns undefined if a browser cannot be
 * driven.
 */
async function comparePages(
  context: ScenarioContext,
  browser: LiveBrowser,
  other: LiveBrowser,
): Promise<BrowserPair['shared']> {
  if (context.target.v4?.browsers?.drivable === false) return undefined;
  const { startDeadlineMs: deadlineMs } = context.target.polling;
  if (!(await isReached(context, browser.cdpUrl))) return undefined;
  const opened = await openPage(context, browser, { client: 'raw', deadlineMs: 0, kept: 'mine' });
  if ('fault' in opened) return undefined;
  const own = await openPage(context, other, { client: 'raw', deadlineMs, kept: 'other' });
  if ('fault' in own) return undefined;
  const { mark } = opened.value;
  const look = await attempt(() =>
    useBrowser(context, { browser: other, client: 'raw' }, (client) => client.evaluate(mark, keptValue)),
  );
  return 'fault' in look ? undefined : { created: other.created, value: look.value };
}

async function sendWrongActions(
  { browsers, target }: ScenarioContext,
  { id }: LiveBrowser,
): Promise<BrowserPair['wrongActions']> {
  const wrongActions: BrowserPair['wrongActions'] = [];
  // A stateless target has no live browser.
  for (const body of target.stateless ? [] : wrongBodies) {
    wrongActions.push({ body, exchange: await browsers.stop(id, body) });
  }
  return wrongActions;
}

/**
 * Sends requests that must not stop the browser, such as DELETE and the stop of an unknown browser, and fetches the
 * record after each. Returns an empty list for a stateless target and without a fetch.
 */
async function sendOtherRequests(context: ScenarioContext, { id }: LiveBrowser): Promise<NamedRecord[]> {
  if (context.target.stateless) return [];
  const afterActions = await context.browsers.get(id);
  if (afterActions === undefined) return [];
  const path = `/browsers/${encodePart(id)}`;
  await context.send({ generation: 'v4', operation: 'deleteBrowser', method: 'DELETE', path, invalid: true });
  const afterDelete = await context.browsers.get(id);
  const attempts = [
    { name: 'PATCH with another action', record: afterActions },
    { name: 'DELETE', record: afterDelete ?? afterActions },
  ];
  const note = noteRecords(context, id, attempts);
  await stopElsewhere(context, path);
  await note('PATCH without a key in the other generations');
  await context.browsers.stop(randomUuid(createRandom(context.seed + 7)));
  await note('the stop of an unknown browser');
  await context.resources.probe('browser', {
    generation: 'v4',
    operation: 'createBrowser',
    method: 'POST',
    path: '/browsers',
    body: { proxyCountryCode: 'zz' },
  });
  await note('a refused creation');
  if (context.operations.offers('v4.listBrowserDownloads')) {
    await context.operations.call('v4.listBrowserDownloads', { path: [id] });
    await note('a look at its downloads');
  }
  return attempts;
}

/**
 * Sends the stop of a V4 browser without a key to the base URLs of V2 and V3, whether the target offers these
 * generations or not.
 */
async function stopElsewhere({ send, target }: ScenarioContext, path: string): Promise<void> {
  for (const generation of ['v2', 'v3'] as const) {
    const spec = { generation: 'other', operation: 'stopBrowserElsewhere', method: 'PATCH', key: 'none' } as const;
    await send({ ...spec, path: generationUrl(target, generation, path), body: { action: 'stop' } });
  }
}

/** Bodies that the stop operation must refuse. */
export const wrongBodies: readonly JsonValue[] = [
  {},
  { action: 'restart' },
  { action: 'STOP' },
  { action: ['stop'] },
  { action: null },
  { action: ' stop' },
  { action: 'stopped' },
  { action: 'close' },
  { action: 'pause' },
  { action: true },
  { action: { stop: true } },
  { status: 'stopped' },
  { stop: true },
  [{ action: 'stop' }],
  'stop',
];
