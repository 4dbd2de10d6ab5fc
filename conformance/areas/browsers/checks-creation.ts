import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused, succeeded, isCapacity } from '../../core/exchange.ts';
import { encodePart } from '../../core/path-with-id.ts';
import { identifier, type JsonObject, type JsonValue, memberAt } from '../../core/json.ts';
import { countryBrowsers, type CountryCell, isAboutCountry } from './scenarios-countries.ts';
import { type AcceptanceProbe, describeProbe } from '../../common/acceptance-probes.ts';
import { drivenBrowser, type DrivenBrowser } from './scenarios.ts';
import { expectWorks, runScenarios } from '../../common/working-operations.ts';
import { requireDrivable } from '../../common/target-facts.ts';
import { show } from '../../core/text.ts';

/** Checks of the creation of standalone browsers: accepted bodies and their answers. */
export const browserCreationChecks: readonly Check[] = [
  check('V4-BROWSER-08', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    await runScenarios(t, drivenBrowser);
    expectWorks(t, 'v4.createBrowser');
    const { created, browser, visits } = await t.recording(drivenBrowser);
    accepted(t, created, 'no members');
    requireDrivable(t);
    if (browser === undefined)
      t.notTestable('the answer carries no id and address, so that no client can look for the browser');
    const message = `no browser was found behind the address of a new one: ${visits[0]?.fault}; expected a browser`;
    t.expect(
      visits.some(({ fault }) => fault === undefined),
      { exchange: created, message },
    );
  }),
  check('V4-BROWSER-09', { needs: [drivenBrowser] }, async (t) => {
    accepted(t, (await t.recording(drivenBrowser)).created, 'no proxyCountryCode');
  }),
  check('V4-BROWSER-12', { needs: [countryBrowsers] }, async (t) => {
    const { codes, probes, listed } = await t.recording(countryBrowsers);
    for (const probe of probes) {
      const { key } = probe.cell;
      if (t.only?.cell !== undefined && t.only.cell !== key) continue;
      const message = `a browser with proxyCountryCode ${describeProbe(probe)}`;
      t.expect(!refusesCode(probe), { cell: key, exchange: probe.exchange, message });
    }
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
  check('V4-BROWSER-14', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    carries(t, await t.recording(drivenBrowser), 'id');
    const owned = new Set<string>();
    for (const exchange of t.recorder.all().filter(isBrowserCreation)) {
      const value = memberAt(exchange.json, 'id');
      const id = identifier(value);
      const message = `the answer to browser creation has id ${show(value)}; expected the id of the browser`;
      t.expect(id !== undefined, { exchange, member: '/id', message });
      const twice = `two creations of a browser answer with the id ${show(value)}; expected one each`;
      t.expect(id === undefined || !owned.has(id), { exchange, member: '/id', message: twice });
      if (id !== undefined) owned.add(id);
    }
  }),
  check('V4-BROWSER-15', { needs: [drivenBrowser, countryBrowsers], phase: 'last' }, async (t) => {
    carries(t, await t.recording(drivenBrowser), 'cdpUrl');
    ownAddresses(t);
    const { shared } = await t.recording(countryBrowsers);
    const message =
      'the cdpUrl of a browser shows a page that was opened in another browser; expected a browser of its own';
    t.expect(shared?.value === undefined, { exchange: shared?.created, message });
  }),
  check('SVC-02', { needs: [drivenBrowser] }, async (t) => carries(t, await t.recording(drivenBrowser), 'cdpUrl')),
  check('V4-BROWSER-16', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    showsActive(t);
    const { created, shown, otherAddresses, stopped } = await t.recording(drivenBrowser);
    for (const { exchange, cdpUrl, fault } of otherAddresses) {
      const message = `${exchange.operation} shows the live browser with cdpUrl ${show(cdpUrl)}, to which no client can connect (${fault}); expected a URL that takes clients, as the URL of its creation does`;
      t.expect(fault === undefined, { exchange, member: '/cdpUrl', message });
    }
    carries(t, { created }, 'id');
    carries(t, { created }, 'cdpUrl');
    for (const { record, exchange } of shown) {
      const message = `${exchange.operation} shows the live browser as ${show(record)}; expected id and cdpUrl`;
      t.expect(isId(record['id']) && isText(record['cdpUrl']), { exchange, message });
    }
    const after = stopped?.after;
    if (after === undefined || !succeeded(after)) return;
    // The contract does not state whether the record of a stopped browser still shows a URL.
    const message = `the record of the stopped browser is ${show(after.json)}; expected its id`;
    t.expect(isId(memberAt(after.json, 'id')), { exchange: after, message });
  }),
];

/**
 * Returns true if a creation was refused because of its country code. This is so if a 422 names the country in its
 * `loc`. It is also so if the creation got 422, and the same body without the code was refused with another status that
 * is not about capacity.
 */
function refusesCode({ exchange, without }: AcceptanceProbe<CountryCell>): boolean {
  const isOther = exchange.status === 422 && refused(without) && without.status !== 422 && !isCapacity(without.status);
  return isAboutCountry(exchange) || isOther;
}

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
  t.expect(member === 'id' ? isId(value) : isAddress(value), { exchange: created, message });
}

/**
 * Judges that each created browser of the run has a valid URL of its own, and that no record shows the URL of another
 * browser. With a shared URL, a client cannot tell which browser it drives.
 */
function ownAddresses(t: CheckContext): void {
  const owners = new Map<string, string>();
  for (const exchange of t.recorder.all().filter(isBrowserCreation)) {
    const [id, address] = [identifier(memberAt(exchange.json, 'id')), memberAt(exchange.json, 'cdpUrl')];
    const none = `the answer to browser creation has cdpUrl ${show(address)}; expected an address`;
    t.expect(isAddress(address), { exchange, member: '/cdpUrl', message: none });
    if (id === undefined || typeof address !== 'string') continue;
    const owner = owners.get(address) ?? id;
    const message = `the browsers ${owner} and ${id} were created with one cdpUrl; expected an address of its own for each`;
    t.expect(owner === id, { exchange, member: '/cdpUrl', message });
    owners.set(address, owner);
  }
  for (const { exchange, record } of t.recorder.all().flatMap((one) => recordsIn(t, one))) {
    const [id, address] = [identifier(record['id']), record['cdpUrl']];
    const owner = typeof address === 'string' ? owners.get(address) : undefined;
    const message = `${exchange.operation} shows the browser ${id} with the cdpUrl of the browser ${owner}; expected a URL of its own`;
    t.expect(owner === undefined || id === undefined || owner === id, { exchange, message });
  }
}

/**
 * Judges that each fetch of an active browser shows id and cdpUrl. Omits fetches after a stop request that was not
 * refused.
 */
function showsActive(t: CheckContext): void {
  const entries = t.ledger.entries().filter(({ kind }) => kind === 'browser');
  const ids = entries.flatMap(({ id }) => (id === undefined ? [] : [encodePart(id)]));
  const stops: string[] = [];
  for (const exchange of t.recorder.all().filter(({ generation }) => generation === 'v4')) {
    const { operation, request } = exchange;
    // A refused request stops nothing; after a server error the browser may be ending.
    if (operation === 'stopBrowser' && !refused(exchange)) stops.push(request.url);
    if (operation !== 'getBrowser' || t.browsers.hasEnded(exchange) !== false) continue;
    const own = ids.find((id) => request.url.includes(id));
    if (own === undefined || stops.some((url) => url.includes(own))) continue;
    const message = `${exchange.operation} shows an active browser as ${exchange.body}; expected id and cdpUrl`;
    const shown = t.browsers.readRecord(exchange);
    t.expect(isId(shown['id']) && isText(shown['cdpUrl']), { exchange, message });
  }
}

/** Returns the records of browsers in a successful V4 answer to a fetch or a list; empty for any other exchange. */
export function recordsIn(t: CheckContext, exchange: Exchange): { exchange: Exchange; record: JsonObject }[] {
  if (exchange.generation !== 'v4' || !succeeded(exchange)) return [];
  if (exchange.operation === 'getBrowser') return [{ exchange, record: t.browsers.readRecord(exchange) }];
  const listed = exchange.operation === 'listBrowsers' ? t.browsers.listed(exchange) : undefined;
  return (listed ?? []).map((record) => ({ exchange, record }));
}

/** Returns true for a successful creation of a standalone browser. */
export function isBrowserCreation(exchange: Exchange): boolean {
  return exchange.generation === 'v4' && exchange.operation === 'createBrowser' && succeeded(exchange);
}

/** Returns true for a complete HTTP or WebSocket URL, which an automation client can connect to. */
function isAddress(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, host } = new URL(value);
  return ['ws:', 'wss:', 'http:', 'https:'].includes(protocol) && host !== '';
}

function isId(value: JsonValue | undefined): boolean {
  return identifier(value) !== undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
