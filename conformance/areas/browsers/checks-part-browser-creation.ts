import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { type JsonValue, identifier, memberAt } from '../../core/json.ts';
import { countryBrowsers } from './scenarios-part-country-browsers.ts';
import { type DrivenBrowser, drivenBrowser } from './scenarios-part-driven-browser.ts';
import { isCapacity } from '../common/checks-part-capacity.ts';
import { asDrivable } from '../common/target-facts.ts';
import { show } from '../common/session-records.ts';

/** What creates a standalone browser, and what is answered with. */
export const browserCreationChecks: readonly Check[] = [
  check('V4-BROWSER-08', { needs: [drivenBrowser] }, async (t) => {
    const { created, browser, visits } = await t.recording(drivenBrowser);
    accepted(t, created, 'no members');
    asDrivable(t);
    if (browser === undefined)
      t.notTestable('the answer carries no id and address, so that nobody can look for the browser');
    const message = `no browser was found behind the address of a new one: ${visits[0]?.fault}`;
    t.expect(
      visits.some(({ fault }) => fault === undefined),
      { exchange: created, message },
    );
  }),
  check('V4-BROWSER-09', { needs: [drivenBrowser] }, async (t) => {
    accepted(t, (await t.recording(drivenBrowser)).created, 'no proxyCountryCode');
  }),
  check('V4-BROWSER-12', { needs: [countryBrowsers] }, async (t) => {
    const { codes, listed } = await t.recording(countryBrowsers);
    t.cellTotal(listed, 'the other codes were not drawn (--matrix full sends them all) or met a lack of capacity');
    for (const { code, exchange } of codes) {
      if (t.only?.cell !== undefined && t.only.cell !== code) continue;
      if (isCapacity(exchange.status)) continue;
      const message = `creation with proxyCountryCode ${code} ${describeAnswer(exchange)}; expected that a listed code is accepted`;
      t.expect(succeeded(exchange), { cell: code, exchange, message });
    }
  }),
  check('V4-BROWSER-23', { needs: [countryBrowsers] }, async (t) => {
    for (const { country, exchange } of (await t.recording(countryBrowsers)).defaults) {
      if (isCapacity(exchange.status)) continue;
      const message = `creation with proxyCountryCode ${show(country)} ${describeAnswer(exchange)}; expected success`;
      t.expect(succeeded(exchange), { cell: show(country), exchange, message });
    }
  }),
  check('V4-BROWSER-14', { needs: [drivenBrowser] }, async (t) => carries(t, await t.recording(drivenBrowser), 'id')),
  check('V4-BROWSER-15', { needs: [drivenBrowser] }, async (t) =>
    carries(t, await t.recording(drivenBrowser), 'cdpUrl'),
  ),
  check('SVC-02', { needs: [drivenBrowser] }, async (t) => carries(t, await t.recording(drivenBrowser), 'cdpUrl')),
  check('V4-BROWSER-16', { needs: [drivenBrowser] }, async (t) => {
    const { created, shown, stopped } = await t.recording(drivenBrowser);
    carries(t, { created }, 'id');
    carries(t, { created }, 'cdpUrl');
    for (const { record, exchange } of shown) {
      const message = `${exchange.operation} shows the live browser as ${show(record)}; expected id and cdpUrl`;
      t.expect(isId(record['id']) && isText(record['cdpUrl']), { exchange, message });
    }
    const after = stopped?.after;
    if (after === undefined || !succeeded(after)) return;
    // Whether the record of a stopped browser still gives an address is not stated.
    const message = `the record of the stopped browser is ${show(after.json)}; expected its id`;
    t.expect(isId(memberAt(after.json, 'id')), { exchange: after, message });
  }),
];

function accepted(t: CheckContext, exchange: Exchange, what: string): void {
  if (isCapacity(exchange.status)) t.notTestable(`browser creation ${describeAnswer(exchange)}`);
  const message = `browser creation with ${what} ${describeAnswer(exchange)}; expected success`;
  t.expect(succeeded(exchange), { exchange, message });
  if (!succeeded(exchange)) t.notTestable('no browser was created');
}

function carries(t: CheckContext, { created }: Pick<DrivenBrowser, 'created'>, member: 'id' | 'cdpUrl'): void {
  if (!succeeded(created)) t.notTestable(`browser creation ${describeAnswer(created)}`);
  const value = memberAt(created.json, member);
  const message = `the answer to browser creation has ${member} ${show(value)}; expected ${member === 'id' ? 'an id' : 'an address'}`;
  t.expect(member === 'id' ? isId(value) : isText(value), { exchange: created, message });
}

function isId(value: JsonValue | undefined): boolean {
  return identifier(value) !== undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
