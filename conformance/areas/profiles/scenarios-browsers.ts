import type { Cookie } from '../../core/cdp.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
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
  const { intervalMs, settleDeadlineMs, startDeadlineMs } = context.target.polling;
  const deadline = context.nowMs() + settleDeadlineMs;
  let { created, browser } = await launch(context, body);
  // The previous browser may not have released the profile yet.
  while (created.status === 409 && context.nowMs() < deadline) {
    await context.pause(intervalMs);
    ({ created, browser } = await launch(context, body));
  }
  const found = browser;
  if (found === undefined) return { created, cookies: undefined };
  const cookies = await persist(context, startDeadlineMs, () =>
    useBrowser(context, { browser: found, client: 'raw' }, async (client) => ({
      lasting: await client.cookie(names.lasting, left.domain),
      session: await client.cookie(names.session, left.domain),
    })),
  );
  if (body['profileId'] === undefined) await attempt(() => leaveCookies(context, found, left));
  await endBrowser(context, found);
  return { created, cookies };
}
