import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Egress, egressBrowsers } from './scenarios-part-egress-browsers.ts';

/** Where standalone browsers come out, as the country checker of the target file sees them. */
export const browserEgressChecks: readonly Check[] = [
  check('V4-BROWSER-10', { needs: [egressBrowsers] }, async (t) => {
    const { plain, us } = await t.recording(egressBrowsers);
    const [without, withUs] = [shown(t, plain, 'country'), shown(t, us, 'country')];
    const message = `the checker saw a browser with us in ${withUs}, and one without a country in ${without}; expected the same`;
    t.expect(withUs === without, { exchange: us.created, message });
  }),
  check('V4-BROWSER-11', { needs: [egressBrowsers] }, async (t) => {
    const { us, none } = await t.recording(egressBrowsers);
    const [proxied, bare] = [shown(t, us, 'address'), shown(t, none, 'address')];
    const message = `the checker saw a browser with null at ${bare}, the address of the managed proxy; expected another one`;
    t.expect(bare !== proxied, { exchange: none.created, message });
  }),
  check('SVC-05', { needs: [egressBrowsers] }, async (t) => {
    const { us, other } = await t.recording(egressBrowsers);
    const read = [
      { code: 'us', egress: us },
      { code: other.code, egress: other },
    ].filter(({ egress }) => egress.country !== undefined);
    for (const { code, egress } of read) {
      const message = `the checker saw a browser with proxyCountryCode ${code} in ${egress.country}`;
      t.expect(egress.country === code, { cell: code, exchange: egress.created, message });
    }
    if (read.length === 0) shown(t, us, 'country');
  }),
];

function shown(t: CheckContext, egress: Egress, member: 'country' | 'address'): string {
  const value = egress[member];
  return value ?? t.notTestable(egress.fault ?? `the country checker shows no ${member} (checkers.${member}In)`);
}
