import { check, type Check, type CheckContext } from '../../core/check.ts';
import { countryBrowsers } from './scenarios-countries.ts';
import { type Egress, egressBrowsers, hasChecker } from './scenarios-egress.ts';

/**
 * Checks the country and IP address from which standalone browsers send requests. The checker URL of the target file
 * reports both.
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
  check(
    'SVC-05',
    { needs: ({ v4 }) => (v4 === null ? [egressBrowsers] : [egressBrowsers, countryBrowsers]) },
    async (t) => {
      const { us, other } = await t.recording(egressBrowsers);
      const drawn = hasChecker(t.target) ? (await t.recording(countryBrowsers)).codes : [];
      const looks = [
        { code: 'us', egress: us },
        { code: other.code, egress: other },
        ...drawn.flatMap(({ code, egress }) => (egress === undefined ? [] : [{ code, egress }])),
      ];
      const read = looks.filter(({ egress }) => egress.country !== undefined);
      for (const { code, egress } of read) {
        const message = `the checker saw a browser with proxyCountryCode ${code} in ${egress.country}`;
        t.expect(egress.country === code, { cell: code, exchange: egress.created, message });
        for (const { after, country } of egress.later) {
          const later = `after ${after} the checker saw a browser with proxyCountryCode ${code} in ${country}`;
          t.expect(country === undefined || country === code, { cell: code, exchange: egress.created, message: later });
        }
      }
      if (read.length === 0) shownMember(t, us, 'country');
    },
  ),
];

function shownMember(t: CheckContext, egress: Egress, member: 'country' | 'address'): string {
  const value = egress[member];
  return value ?? t.notTestable(egress.fault ?? `the country checker shows no ${member} (checkers.${member}In)`);
}
