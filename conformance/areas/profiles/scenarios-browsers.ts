import type { Cookie } from '../../core/cdp.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { uniqueText } from '../../core/text.ts';
import {
  type Attempt,
  attempt,
  endBrowser,
  type LiveBrowser,
  launch,
  persist,
  useBrowser,
} from '../../common/observed-browser.ts';
import { fetchSession, poll } from '../../common/observed-session.ts';
import { named } from '../v3-sessions/scenarios.ts';
import { readSettled } from '../../common/target-facts.ts';

/** Cookies of one host in a browser; undefined for a cookie that the browser does not have. */
export interface FoundCookies {
  lasting: string | undefined;
  session: string | undefined;
}

/** Host and value of cookies that were set in a browser. */
interface LeftCookies {
  domain: string;
  value: string;
}

/** Browsers with one profile, browsers without a profile, and a browser with another profile. */
export interface ProfiledBrowsers {
  /** Answer to the creation of the first browser. */
  created: Exchange;
  /** Reason why no cookie could be set; undefined when cookies were set. */
  fault?: string;
  /** Observations after the cookies were set; undefined with a fault. */
  seen?: {
    left: LeftCookies;
    /** Answer to the creation of a second browser with the same profile while the first browser was active. */
    beside: Exchange;
    /** The profile after the stop of the first browser: when it lists cookie domains, or at the settle deadline. */
    profile: Exchange;
    next: BrowserLook;
    /** A browser without a profile, created after the stop of `next`. */
    bare: BrowserLook;
    /** Another browser without a profile, created after cookies were set in `bare` and it was stopped. */
    later: BrowserLook;
    withOther: BrowserLook;
    /** Answer to the creation of a browser with the profile after the deletion of the profile. */
    deleted: Exchange;
  };
}

/** The creation of a further browser with a profile, and the cookies of the browser. */
export interface BrowserLook {
  created: Exchange;
  /** Cookies of the host in the browser, or the fault of the read; undefined when the browser was not created. */
  cookies: Attempt<FoundCookies> | undefined;
}

const operations = ['v4.createProfile', 'v4.getProfile', 'v4.deleteProfile'] as const;
const names = { lasting: 'svc-check-lasting', session: 'svc-check-session' };

/**
 * Creates cookies in a browser with a profile. Reads them in the next browser with this profile, in browsers without
 * a profile and in a browser with another profile. Then deletes the profile.
 */
export const profiledBrowsers: Scenario<ProfiledBrowsers> = {
  name: 'profiled-browsers',
  creates:
    'two profiles and at most seven V4 browsers, five of them with the profiles, two at a time, all removed again',
  spend: 'browser',
  browsers: () => 7,
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? notOffered(target, [...operations]),
  run: (context) => context.live(() => driveProfiled(context)),
};

async function driveProfiled(context: ScenarioContext): Promise<ProfiledBrowsers> {
  const [mine, other] = [await newProfile(context), await newProfile(context)];
  const { created, browser } = await launch(context, { profileId: mine });
  if (browser === undefined) return { created, fault: 'no browser with a profile was created' };
  const left = {
    domain: `${uniqueText(context, 'host').replaceAll(/[^a-z0-9]+/gi, '-')}.example`.toLowerCase(),
    value: context.mark(),
  };
  // A simulated browser may keep no cookies, and it answers at once or not at all.
  const isSimulated = context.target.v4?.browsers?.drivable === false;
  const deadlineMs = isSimulated ? 0 : context.target.polling.startDeadlineMs;
  const set = await persist(context, deadlineMs, () => leaveCookies(context, browser, left));
  if ('fault' in set) {
    await endBrowser(context, browser);
    return { created, fault: `no cookie could be set over CDP: ${set.fault}` };
  }
  const beside = await launch(context, { profileId: mine });
  if (beside.browser !== undefined) await endBrowser(context, beside.browser);
  await endBrowser(context, browser);
  const profile = await whenKept(context, mine);
  const next = await look(context, { profileId: mine }, left);
  const bare = await look(context, {}, left);
  const later = await look(context, {}, left);
  const withOther = await look(context, { profileId: other }, left);
  await context.operations.call('v4.deleteProfile', { path: [mine] });
  const deleted = await launch(context, { profileId: mine });
  if (deleted.browser !== undefined) await endBrowser(context, deleted.browser);
  const further = { next, bare, later, withOther };
  return { created, seen: { left, beside: beside.created, profile, ...further, deleted: deleted.created } };
}

async function newProfile(context: ScenarioContext): Promise<string> {
  const body = { name: uniqueText(context, 'kept profile') };
  const created = await context.operations.create('profile', 'v4.createProfile', { body });
  // Without an id in the answer, the following requests are sent with a placeholder and are refused.
  return (succeeded(created) ? identifier(memberAt(created.json, 'id')) : undefined) ?? 'unknown';
}

async function leaveCookies(
  context: ScenarioContext,
  browser: LiveBrowser,
  { domain, value }: LeftCookies,
): Promise<void> {
  const cookies: Cookie[] = [
    { name: names.lasting, domain, value, lasts: true },
    { name: names.session, domain, value, lasts: false },
  ];
  await useBrowser(context, { browser, client: 'raw' }, async (client) => {
    for (const cookie of cookies) await client.setCookie(cookie);
  });
}

/**
 * Polls a profile until it lists cookie domains or the settle deadline has passed. A target may save cookies some time
 * after the stop.
 */
function whenKept(context: ScenarioContext, profileId: string): Promise<Exchange> {
  return readSettled(
    context,
    () => context.operations.call('v4.getProfile', { path: [profileId] }),
    (profile) => {
      const domains = memberAt(profile.json, 'cookieDomains');
      return !succeeded(profile) || (Array.isArray(domains) && domains.length > 0);
    },
  );
}

/**
 * Creates a browser, reads the cookies of a host and stops the browser. Before the stop, a browser without a profile gets
 * the cookies `left`.
 */
async function look(context: ScenarioContext, body: JsonObject, left: LeftCookies): Promise<BrowserLook> {
  // The previous browser may not have released the profile yet.
  const { created, browser: found } = await readSettled(
    context,
    () => launch(context, body),
    (made) => made.created.status !== 409,
  );
  if (found === undefined) return { created, cookies: undefined };
  const cookies = await persist(context, context.target.polling.startDeadlineMs, () =>
    useBrowser(context, { browser: found, client: 'raw' }, async (client) => ({
      lasting: await client.cookie(names.lasting, left.domain),
      session: await client.cookie(names.session, left.domain),
    })),
  );
  if (body['profileId'] === undefined) await attempt(() => leaveCookies(context, found, left));
  await endBrowser(context, found);
  return { created, cookies };
}

/** A browser or session that was created and ended. */
export interface ProfileUse {
  /** Answer to the creation: the last one, if a refused creation was repeated. */
  created: Exchange;
  /** The record while the browser or session was active; undefined without a fetch. */
  record: Exchange | undefined;
  /** Result of a client's connection to the browser; undefined for a session and for a simulated browser. */
  reached: Attempt<unknown> | undefined;
  /** True if the browser or session was created and has ended. */
  isOver: boolean;
}

/** Two browsers or sessions with the same profile, one after the other. */
export interface ReusedProfile {
  kind: 'browser' | 'session';
  /** Answer to the creation of the profile; `profileId` is its id, or undefined without one. */
  profile: Exchange;
  profileId: string | undefined;
  /** The first use; undefined without a profile. */
  first: ProfileUse | undefined;
  /** The second use; undefined if the first one was refused or has not ended. */
  second: ProfileUse | undefined;
  /** A browser or session without a profile, if the second use failed. */
  plain: ProfileUse | undefined;
}

/** Operations that create a profile for a V4 browser and for a V3 session. */
const profileMakers = { browser: 'v4.createProfile', session: 'v3.createProfile' } as const;

/**
 * Creates a V4 browser and a V3 session without a task, each with a new profile, and ends them. Then creates another
 * browser and another session with the same profiles.
 */
export const reusedProfiles: Scenario<ReusedProfile[]> = {
  name: 'reused-profiles',
  creates: 'two profiles, at most three V4 browsers and three V3 sessions without a task, all removed again',
  spend: 'browser',
  browsers: () => 6,
  dispatches: 0,
  stateful: true,
  unavailable: (target) => (reusableKinds(target).length === 0 ? reasonWithoutUse(target, 'browser') : undefined),
  run: async (context) => {
    const reused: ReusedProfile[] = [];
    for (const kind of reusableKinds(context.target)) {
      reused.push(await context.live(() => reuseProfile(context, kind)));
    }
    return reused;
  },
};

function reusableKinds(target: Target): ReusedProfile['kind'][] {
  return (['browser', 'session'] as const).filter((kind) => reasonWithoutUse(target, kind) === undefined);
}

/** Returns the reason why the suite cannot use a profile for a browser or session; undefined if it can. */
function reasonWithoutUse(target: Target, kind: ReusedProfile['kind']): string | undefined {
  const missing = notOffered(target, [profileMakers[kind]]);
  if (kind === 'browser') return noBrowsers(target) ?? missing;
  if (target.v3 === null) return 'this target does not offer V3';
  if (target.v3.stop === null) return 'the target file names no stop operation (v3.stop)';
  return target.v3.members.profileId === null
    ? 'the target file names no member for the profile of a session (v3.members.profileId)'
    : missing;
}

async function reuseProfile(context: ScenarioContext, kind: ReusedProfile['kind']): Promise<ReusedProfile> {
  const body = { name: uniqueText(context, `reused profile ${kind}`) };
  const profile = await context.operations.create('profile', profileMakers[kind], { body });
  const profileId = succeeded(profile) ? identifier(memberAt(profile.json, 'id')) : undefined;
  const use = kind === 'browser' ? tryBrowser : trySession;
  const given = profileId === undefined ? {} : { profileId };
  const first = profileId === undefined ? undefined : await use(context, given);
  if (first?.isOver !== true) return { kind, profile, profileId, first, second: undefined, plain: undefined };
  // The end of the first use may not have released the profile yet.
  const second = await readSettled(
    context,
    () => use(context, given),
    ({ created }) => succeeded(created),
  );
  const plain = isUsable(second) ? undefined : await use(context, {});
  return { kind, profile, profileId, first, second, plain };
}

/** Returns true for a browser or session that was created, and whose browser a client could reach. */
export function isUsable({ created, reached }: ProfileUse): boolean {
  return succeeded(created) && (reached === undefined || 'value' in reached);
}

/** Creates a browser, connects a client that sets a cookie, and stops the browser. */
async function tryBrowser(context: ScenarioContext, body: JsonObject): Promise<ProfileUse> {
  const { created, browser } = await launch(context, body);
  if (browser === undefined) return { created, record: undefined, reached: undefined, isOver: false };
  const isDrivable = context.target.v4?.browsers?.drivable !== false;
  const { startDeadlineMs } = context.target.polling;
  const reached = isDrivable
    ? await persist(context, startDeadlineMs, () =>
        useBrowser(context, { browser, client: 'raw' }, (client) => client.ping()),
      )
    : undefined;
  const left = { domain: 'svc-check.example', value: context.mark() };
  // A browser with a cookie has something to save. A target may refuse the cookie.
  if (isDrivable) await attempt(() => leaveCookies(context, browser, left));
  const record = await context.browsers.get(browser.id);
  return { created, record, reached, isOver: await endResource(context, 'browser', browser.id) };
}

/** Creates a session without a task, waits until it is idle, and stops it. */
async function trySession(context: ScenarioContext, { profileId }: JsonObject): Promise<ProfileUse> {
  const chosen = profileId === undefined ? {} : named(context.target, { profileId });
  const request = { keepAlive: true, ...chosen };
  const created = await context.sessions.create({ body: request });
  if (!succeeded(created)) return { created, record: undefined, reached: undefined, isOver: false };
  const id = context.sessions.readId(created);
  const end = await fetchSession(context, id);
  const session = { request, dispatched: created, fetches: [end], end };
  await poll(context, session, {
    id,
    until: (seen) => seen.end.record['status'] !== 'created',
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  const { exchange } = session.end;
  return { created, record: exchange, reached: undefined, isOver: await endResource(context, 'session', id) };
}

async function endResource(
  { ledger, resources }: ScenarioContext,
  kind: 'browser' | 'session',
  id: string,
): Promise<boolean> {
  const entry = ledger.find(kind, id);
  return entry !== undefined && (await resources.end(entry));
}
