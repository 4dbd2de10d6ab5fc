import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, succeeded, refused } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { show } from '../../core/text.ts';
import {
  type BrowserLook,
  type FoundCookies,
  isUsable,
  profiledBrowsers,
  type ProfiledBrowsers,
  type ReusedProfile,
  reusedProfiles,
} from './scenarios-browsers.ts';
import { saysNothing } from '../../common/refusals.ts';
import { requireDrivable, settleWait } from '../../common/target-facts.ts';

/** Checks of profiles that are used again, of the cookies in them, and of concurrent browsers with the same profile. */
export const browserProfileChecks: readonly Check[] = [
  check('SVC-06', { needs: [reusedProfiles] }, async (t) => {
    const reused = await t.recording(reusedProfiles);
    const reasons = reused.flatMap((use) => judgeReuse(t, use) ?? []);
    const [reason] = reasons;
    if (reason !== undefined && reasons.length === reused.length) t.notTestable(reason);
  }),
  check('BROWSER-PROFILE-01', { needs: [profiledBrowsers] }, (t) => isThere(t, 'lasting', 'that lasts')),
  check('BROWSER-PROFILE-02', { needs: [profiledBrowsers] }, (t) => isThere(t, 'session', 'of the session')),
  check('BROWSER-PROFILE-03', { needs: [profiledBrowsers] }, async (t) => {
    requireDrivable(t);
    const { bare, later, withOther } = await used(t);
    const others = [
      { which: 'without a profile', look: bare },
      { which: 'with another profile', look: withOther },
      { which: 'without a profile, after another one without,', look: later },
    ];
    for (const { which, look } of others) {
      const { lasting, session } = requireCookies(t, look);
      const found = [lasting, session].filter((value) => value !== undefined);
      const message = `a browser ${which} has ${found.length} cookies of a browser before it; expected none`;
      t.expect(found.length === 0, { exchange: look.created, message });
    }
  }),
  check('BROWSER-PROFILE-04', { needs: [profiledBrowsers] }, async (t) => {
    const { beside } = await used(t);
    const message = `a second browser with a profile that is in use ${describeAnswer(beside)}; expected a browser or a refusal (4xx)`;
    t.expect(succeeded(beside) || refused(beside), { exchange: beside, message });
  }),
  check('BROWSER-PROFILE-05', { needs: [profiledBrowsers] }, async (t) => {
    requireDrivable(t);
    const { profile, left } = await used(t);
    const domains = memberAt(profile.json, 'cookieDomains');
    const list = Array.isArray(domains) ? domains : t.notTestable('the profile lists no cookie domains');
    const listed = list.map((domain) => toText(domain).replace(/^\./, '').toLowerCase());
    const named = listed.some((domain) => left.domain === domain || left.domain.endsWith(`.${domain}`));
    const message = `a profile with a cookie of ${left.domain} lists ${show(domains)}; expected this domain among them${settleWait(t)}`;
    t.expect(named, { exchange: profile, member: '/cookieDomains', message });
  }),
  check('BROWSER-PROFILE-06', { needs: [profiledBrowsers] }, async (t) => {
    const { deleted } = await used(t);
    const message = `a browser with a profile that was deleted ${describeAnswer(deleted)}; expected a refusal (4xx)`;
    t.expect(refused(deleted), { exchange: deleted, message });
  }),
];

/**
 * Judges that a second browser or session with a profile can be used, and that its records show this profile. Returns
 * the reason if this cannot be judged; undefined otherwise.
 */
function judgeReuse(t: CheckContext, reused: ReusedProfile): string | undefined {
  const { kind, profileId, second } = reused;
  const reason = reasonUnjudged(reused);
  if (reason !== undefined || second === undefined) return reason;
  const { created, record, reached } = second;
  const unreached = reached !== undefined && 'fault' in reached ? `, and no client reaches it: ${reached.fault}` : '';
  const message = `the second ${kind} with a profile, after the end of the first, ${describeAnswer(created)}${unreached}; expected a ${kind} that can be used, as the first${settleWait(t)}`;
  t.expect(isUsable(second), { cell: kind, exchange: created, message });
  for (const exchange of [created, ...(record === undefined ? [] : [record])]) {
    const shown = succeeded(exchange) ? memberAt(exchange.json, 'profileId') : undefined;
    if (typeof shown !== 'string') continue;
    const other = `the second ${kind} with the profile ${profileId} shows the profile ${shown}; expected the same`;
    const isSame = shown.toLowerCase() === profileId?.toLowerCase();
    t.expect(isSame, { cell: kind, exchange, member: '/profileId', message: other });
  }
  return undefined;
}

/** Returns the reason why two uses of a profile cannot be judged; undefined if they can. */
function reasonUnjudged({ kind, profile, first, second, plain }: ReusedProfile): string | undefined {
  if (first === undefined) return `the creation of a profile ${describeAnswer(profile)}`;
  if (!succeeded(first.created)) return `the first ${kind} with a profile ${describeAnswer(first.created)}`;
  if (second === undefined) return `the first ${kind} with a profile has not ended after its stop`;
  if (isUsable(second)) return undefined;
  const { created } = second;
  if (created.status === 0 || saysNothing(created)) return `the second ${kind} ${describeAnswer(created)}`;
  if (plain === undefined || !isUsable(plain)) return `a ${kind} without a profile could not be used either`;
  return succeeded(created) && !isUsable(first) ? `no client could use a ${kind} with a profile` : undefined;
}

async function used(t: CheckContext): Promise<NonNullable<ProfiledBrowsers['seen']>> {
  const { seen, fault } = await t.recording(profiledBrowsers);
  return seen ?? t.notTestable(fault ?? 'nothing could be left in a profile');
}

async function isThere(t: CheckContext, which: keyof FoundCookies, kind: string): Promise<void> {
  requireDrivable(t);
  const { next, left } = await used(t);
  const found = requireCookies(t, next)[which];
  const message = `the next browser with the profile has ${show(found ?? null)} as the cookie ${kind}; expected ${show(left.value)}${settleWait(t)}`;
  t.expect(found === left.value, { exchange: next.created, message });
}

function requireCookies(t: CheckContext, { created, cookies }: BrowserLook): FoundCookies {
  if (cookies === undefined) return t.notTestable(`no further browser was created: it ${describeAnswer(created)}`);
  return 'fault' in cookies ? t.notTestable(`no client could read cookies: ${cookies.fault}`) : cookies.value;
}
