import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, succeeded, refused } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { show } from '../../core/text.ts';
import { type BrowserLook, type FoundCookies, profiledBrowsers, type ProfiledBrowsers } from './scenarios-browsers.ts';
import { requireDrivable, settleWait } from '../../common/target-facts.ts';

/** Checks of the cookies that browsers store in profiles, and of concurrent browsers with the same profile. */
export const browserProfileChecks: readonly Check[] = [
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
