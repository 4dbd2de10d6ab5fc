import { check, type Check, type CheckContext } from '../../core/check.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { ifTestable } from '../../core/outcome.ts';
import { requestObject } from '../../core/request-json.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { show } from '../../core/text.ts';
import { isBrowserCreation, recordsIn } from './checks-creation.ts';
import { countryBrowsers } from './scenarios-countries.ts';
import {
  type CountryRun,
  countryRuns,
  type Egress,
  egressBrowsers,
  type EgressBrowsers,
  hasChecker,
} from './scenarios-egress.ts';

/**
 * Checks of the country and the IP address from which standalone browsers, and browsers of V4 runs, send requests. A
 * country checker, a URL that the target file names, reports them.
 */
export const browserEgressChecks: readonly Check[] = [
  check('V4-BROWSER-10', { needs: [egressBrowsers] }, async (t) => {
    const { plain, us } = await t.recording(egressBrowsers);
    const [without, withUs] = [shownMember(t, plain, 'country'), shownMember(t, us, 'country')];
    const message = `the checker saw a browser with us in ${withUs}, and one without a country in ${without}; expected the same`;
    t.expect(withUs === without, { exchange: us.created, message });
  }),
  check('V4-BROWSER-11', { needs: [egressBrowsers] }, async (t) => {
    const { us, other, none } = await t.recording(egressBrowsers);
    const bare = [
      { after: 'it was created', address: shownMember(t, none, 'address') },
      ...none.later.flatMap(({ after, address }) => (address === undefined ? [] : [{ after, address }])),
    ];
    shownMember(t, us, 'address');
    for (const proxied of [us, other].flatMap(({ address }) => address ?? [])) {
      for (const { after, address } of bare) {
        const message = `after ${after} the checker saw a browser with null at ${address}, the address of the managed proxy; expected another one`;
        t.expect(address !== proxied, { exchange: none.created, message });
      }
    }
  }),
  check('VER-16', { needs: withRuns }, async (t) => {
    const { plain, us, none } = await t.recording(countryRuns);
    const [withUs, without] = [requireCode(t, us, 'with us'), requireCode(t, plain, 'without browserSettings')];
    const message = `a run with the country us in browserSettings left from ${withUs}, and a run without browserSettings from ${without}; expected the same country`;
    t.expect(withUs === without, { cell: 'us', exchange: us?.created, message });
    const bare = (await seenBrowsers(t))?.none.country;
    // Without a proxy, the runs of a service may leave from another place than its browsers, but not from the proxy.
    if (bare === undefined || bare === withUs || none?.codes.length !== 1) return;
    const proxied = `a run with the country null in browserSettings left from ${withUs}, as a run with us did, and a browser with null left from ${bare}; expected that the run uses no managed proxy`;
    t.expect(none.codes[0] !== withUs, { cell: 'null', exchange: none.created, message: proxied });
  }),
  check('SVC-05', { needs: selecting, phase: 'last' }, async (t) => {
    const isShown = showsOwnCountries(t);
    const reason = egressBrowsers.unavailable?.(t.target);
    if (reason === undefined) return leavesFromCountries(t);
    return isShown ? undefined : t.notTestable(reason);
  }),
];

/** Returns the runs that read the country checker, and the browsers that read it if the target offers them. */
function withRuns(target: Target): readonly AnyScenario[] {
  return egressBrowsers.unavailable?.(target) === undefined ? [countryRuns, egressBrowsers] : [countryRuns];
}

async function seenBrowsers(t: CheckContext): Promise<EgressBrowsers | undefined> {
  return withRuns(t.target).includes(egressBrowsers) ? ifTestable(() => t.recording(egressBrowsers)) : undefined;
}

/** Returns the only country code in the result of a run. Ends the check as not testable if there is another number. */
function requireCode(t: CheckContext, run: CountryRun | undefined, which: string): string {
  const { codes } = run ?? t.notTestable(`no run ${which} was created, or it could not be read`);
  const [code] = codes;
  if (code === undefined || codes.length > 1)
    return t.notTestable(`the result of the run ${which} names ${codes.length} country codes (tasks.country)`);
  return code;
}

/**
 * Returns the scenarios whose browsers have countries: `countryBrowsers`, and `egressBrowsers` if the target file names
 * a country checker. Without V4, returns only `egressBrowsers`, which reports the reason.
 */
function selecting({ v4, checkers }: Target): readonly AnyScenario[] {
  if (v4 === null) return [egressBrowsers];
  return checkers.country === null ? [countryBrowsers] : [egressBrowsers, countryBrowsers];
}

/**
 * Judges that no record of a browser shows another listed country than its creation named. Returns false if no record
 * of such a browser shows a listed country.
 */
function showsOwnCountries(t: CheckContext): boolean {
  const codes = t.schemas.component('v4', 'ProxyCountryCode')['enum'];
  const creations = t.recorder.all().filter(isBrowserCreation);
  const sent = new Map(
    creations.map((exchange) => [identifier(memberAt(exchange.json, 'id')), requestObject(exchange)[countryMember]]),
  );
  const created = creations.map((exchange) => ({ exchange, record: t.browsers.readRecord(exchange) }));
  let isShown = false;
  for (const { exchange, record } of [...created, ...t.recorder.all().flatMap((one) => recordsIn(t, one))]) {
    const [code, shown] = [sent.get(identifier(record['id'])), record[countryMember] ?? null];
    if (typeof code !== 'string' || !Array.isArray(codes) || !codes.includes(shown)) continue;
    isShown = true;
    const message = `a browser that was created with proxyCountryCode ${code} shows ${show(shown)}; expected that country`;
    t.expect(shown === code, { cell: code, exchange, member: `/${countryMember}`, message });
  }
  return isShown;
}

const countryMember = 'proxyCountryCode';

/** Judges by the country checker from which countries the browsers send requests. */
async function leavesFromCountries(t: CheckContext): Promise<void> {
  const { us, other } = await t.recording(egressBrowsers);
  const drawn = hasChecker(t.target) ? (await t.recording(countryBrowsers)).codes : [];
  const looks = [
    { code: 'us', egress: us },
    { code: other.code, egress: other },
    ...drawn.flatMap(({ code, egress }) => (egress === undefined ? [] : [{ code, egress }])),
  ];
  const read = looks.filter(({ egress }) => egress.country !== undefined);
  for (const { code, egress } of read) {
    const message = `the checker saw a browser with proxyCountryCode ${code} in ${egress.country}; expected ${code}`;
    t.expect(egress.country === code, { cell: code, exchange: egress.created, message });
    for (const { after, country } of egress.later) {
      const later = `after ${after} the checker saw a browser with proxyCountryCode ${code} in ${country}; expected ${code}`;
      t.expect(country === undefined || country === code, { cell: code, exchange: egress.created, message: later });
    }
  }
  if (read.length === 0) shownMember(t, us, 'country');
}

function shownMember(t: CheckContext, egress: Egress, member: 'country' | 'address'): string {
  const value = egress[member];
  return value ?? t.notTestable(egress.fault ?? `the country checker shows no ${member} (checkers.${member}In)`);
}
