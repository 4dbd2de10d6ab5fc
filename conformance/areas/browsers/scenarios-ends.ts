import { type Exchange, isCapacity, refused } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt } from '../../core/json.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Ledger } from '../../core/ledger.ts';
import { type BrowserBills, type NamedRecord, readRefunded } from './scenarios-bills.ts';
import { type Attempt, attempt, isReached, launch, type LiveBrowser, persist } from '../../common/observed-browser.ts';
import { readSettled } from '../../common/target-facts.ts';

/** A browser after its stop. */
export interface EndedBrowser {
  created: Exchange;
  /** Whether the browser ended within the settle deadline of the target. */
  ended: boolean;
  /**
   * Whether a client could still connect to the CDP URL of the browser after the stop. Undefined if no client tried.
   * Also undefined if the attempt failed and no client had connected before the stop either.
   */
  isReached: boolean | undefined;
  /**
   * Reason why no client could connect before the stop, although a client has connected to another browser of the run;
   * undefined otherwise.
   */
  unanswered?: string | undefined;
  /**
   * Whether the former URL, which led to no browser after the stop, leads to a browser after the creation of another
   * browser; undefined if that was not tried.
   */
  isReused?: boolean;
  /** Whether a client of another browser lost its connection during the stop; undefined if no client was connected. */
  isNeighborCut?: boolean | undefined;
  /**
   * Whether no client could connect any more after the creation of another browser with the same request; undefined if
   * that was not tried.
   */
  isTwinCut?: boolean | undefined;
}

/**
 * Creates a browser with members that the contract does not show, or without them if the target refuses them.
 */
export async function launchWith(
  context: ScenarioContext,
  body: JsonObject,
  members: JsonObject,
): ReturnType<typeof launch> {
  const full = await launch(context, { ...body, ...members });
  const isOther = Object.keys(members).length > 0 && refused(full.created) && !isCapacity(full.created.status);
  return isOther ? launch(context, body) : full;
}

/**
 * Connects to a browser, disconnects, and fetches its record. Returns an empty list if no browser answers at the URL or
 * the target offers no fetch.
 */
export async function connectAndLeave(
  context: ScenarioContext,
  browser: LiveBrowser,
  kind: string,
): Promise<NamedRecord[]> {
  if ('fault' in (await reach(context, browser))) return [];
  // A browser may end some time after its client.
  await context.pause(context.target.polling.intervalMs);
  const record = await context.browsers.get(browser.id);
  return record === undefined ? [] : [{ name: `the departure of a client from a browser ${kind}`, record }];
}

/**
 * Returns a function that fetches the record of a browser after a request and adds it to `attempts` under the request's
 * name.
 */
export function noteRecords(
  context: ScenarioContext,
  id: string,
  attempts: NamedRecord[],
): (name: string) => Promise<void> {
  return async (name) => {
    const record = await context.browsers.get(id);
    if (record !== undefined) attempts.push({ name, record });
  };
}

/**
 * Two browsers with the same profile: records of the first browser after each event of the second browser, of the
 * profile and of a workspace, and the stops of both browsers.
 */
export interface ProfiledPair {
  attempts: NamedRecord[];
  stops: EndedBrowser[];
  /** The record of the first browser after its stop; empty if there is no cost to compare it with. */
  spares: NamedRecord[];
}

/** Maximum life of a browser whose cost is compared with that of another one: services may bill whole minutes. */
const billedMaxMs = 60_000;

/**
 * Creates a profile and two browsers with it, stops the second browser, deletes a workspace and the profile, and stops
 * the first browser, which has no proxy. Reads the cost of the first browser if it has lived for less than
 * `billedMaxMs` and `bills` has costs to compare with. Returns empty lists if the target offers no profiles, or if the
 * profile or the first browser was not created.
 */
export async function useProfile(context: ScenarioContext, bills: BrowserBills | undefined): Promise<ProfiledPair> {
  const { operations } = context;
  const attempts: NamedRecord[] = [];
  const none = { attempts, stops: [], spares: [] };
  if (!operations.offers('v4.createProfile') || !operations.offers('v4.deleteProfile')) return none;
  const profile = await operations.create('profile', 'v4.createProfile');
  const profileId = identifier(memberAt(profile.json, 'id'));
  const startMs = context.nowMs();
  const first =
    profileId === undefined ? undefined : (await launch(context, { profileId, proxyCountryCode: null })).browser;
  if (first === undefined || profileId === undefined) return none;
  attempts.push(...(await connectAndLeave(context, first, 'with a profile')));
  const note = noteRecords(context, first.id, attempts);
  const { browser } = await launch(context, { profileId, proxyCountryCode: 'de' });
  await note('a second browser with its profile');
  const second = browser === undefined ? undefined : await endOne(context, browser);
  if (await deleteWorkspace(context)) await note('the deletion of a workspace');
  const entry = context.ledger.find('profile', profileId);
  if (entry !== undefined) await context.resources.end(entry);
  await note('the deletion of its profile');
  const last = await endOne(context, first);
  const isBilled = last?.ended === true && context.nowMs() - startMs < billedMaxMs;
  const spares = isBilled ? await readSpare(context, first, bills) : [];
  return { attempts, stops: [second, last].filter((stop) => stop !== undefined), spares };
}

/** Returns the record of a stopped browser with a profile; an empty list if there is no cost to compare it with. */
async function readSpare(
  context: ScenarioContext,
  browser: LiveBrowser,
  bills: BrowserBills | undefined,
): Promise<NamedRecord[]> {
  const record = bills && (await readRefunded(context, browser, bills));
  return record === undefined ? [] : [{ name: 'a browser with a profile', record }];
}

/** Creates a workspace and deletes it. Returns false if the target offers no workspaces or has created none. */
async function deleteWorkspace({ operations, ledger, resources }: ScenarioContext): Promise<boolean> {
  if (!operations.offers('v4.createWorkspace') || !operations.offers('v4.deleteWorkspace')) return false;
  const created = await operations.create('workspace', 'v4.createWorkspace');
  const entry = ledger.find('workspace', identifier(memberAt(created.json, 'id')) ?? '');
  if (entry !== undefined) await resources.end(entry);
  return entry !== undefined;
}

/**
 * Connects to a browser that no client has used, and stops it. Then connects to its URL until no browser answers there
 * or the settle deadline has passed. Does not connect if the browser had ended before the stop, if it did not end, or
 * if the target is stateless. Returns undefined for a browser that is not in the ledger.
 */
export async function endOne(context: ScenarioContext, browser: LiveBrowser): Promise<EndedBrowser | undefined> {
  const { created, id, cdpUrl } = browser;
  const entry = context.ledger.find('browser', id);
  if (entry === undefined) return undefined;
  const isLive = entry.state === 'live';
  const unanswered = isLive && !context.target.stateless ? await tryFirst(context, browser) : undefined;
  const ended = await context.resources.end(entry);
  // The record may say that the browser has ended although no stop was sent; another check judges that.
  if (!ended || !isLive || context.target.stateless) return { created, ended, isReached: undefined, unanswered };
  const reached = await readSettled(
    context,
    () => isReached(context, cdpUrl),
    (answers) => !answers,
  );
  return { created, ended, isReached: reached || browser.reached ? reached : undefined, unanswered };
}

/** Ledgers of runs in which a browser has answered a client since the last one that has not. */
const answering = new WeakSet<Ledger>();

/**
 * Connects a client to a browser that no client has used: until the start deadline if another browser of the run has
 * answered a client, otherwise once. Returns the fault if another browser has answered and this one has not.
 */
async function tryFirst(context: ScenarioContext, browser: LiveBrowser): Promise<string | undefined> {
  if (browser.reached) return undefined;
  const deadlineMs = answering.has(context.ledger) ? context.target.polling.startDeadlineMs : 0;
  const tried = await persist(context, deadlineMs, () => connect(context, browser));
  if (deadlineMs === 0 || !('fault' in tried)) return undefined;
  // One long wait is enough evidence.
  answering.delete(context.ledger);
  return tried.fault;
}

/** Connects a client once to a browser that may be starting. */
export function reach(context: ScenarioContext, browser: LiveBrowser): Promise<Attempt<void>> {
  return attempt(() => connect(context, browser));
}

async function connect(context: ScenarioContext, browser: LiveBrowser): Promise<void> {
  await context.cdp.use('raw', browser.cdpUrl, (client) => client.ping());
  browser.reached = true;
  answering.add(context.ledger);
}
