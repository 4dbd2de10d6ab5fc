import { noBrowsers } from '../../ledger/browser-api.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt, parseJson } from '../../core/json.ts';
import { sample } from '../../core/random.ts';
import { contractSchemas, type Schemas } from '../../core/schemas.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { CdpFault } from '../../transport/cdp/index.ts';
import type { CdpClient } from '../../core/cdp.ts';
import type { TargetCheckers } from '../../core/target.ts';
import { launch, type LiveBrowser, persist, useBrowser } from '../../common/observed-browser.ts';

/** Browsers that were created with a country, and stopped at once. */
export interface CountryBrowsers {
  /** The listed codes that were sent, and what each was answered with. */
  codes: { code: string; exchange: Exchange }[];
  /** Listed codes besides `us`. */
  listed: number;
  /** Creation with `us` and with null. */
  defaults: { country: string | null; exchange: Exchange }[];
  /** Wrong bodies for the stop operation with the id of a live browser. */
  wrongActions: { body: JsonObject; exchange: Exchange }[];
}

/** Codes that a run sends at most when a sample is enough. */
const sampleSize = 3;

/** Browsers that did not end after their stop, at most, before no further one is created. */
const unendedMax = 2;

/** Browsers in several countries, none of which is driven. */
export const countryBrowsers: Scenario<CountryBrowsers> = {
  name: 'country-browsers',
  creates: `V4 browsers with us, with null and with ${sampleSize} country codes (all codes with --matrix full), each stopped at once`,
  spend: 'browser',
  browsers: (matrix) => 2 + (matrix === 'full' ? listed(contractSchemas).length : sampleSize),
  dispatches: 0,
  stateful: false,
  unavailable: noBrowsers,
  run: async (context) => {
    const all = listed(context.schemas);
    const drawn = context.matrix === 'full' ? all : sample(all, sampleSize, context.seed);
    const us = await context.live(() => createUs(context));
    const none = await context.live(() => context.browsers.trial({ proxyCountryCode: null }));
    const defaults = [
      { country: 'us', exchange: us.exchange },
      { country: null, exchange: none.exchange },
    ];
    return { codes: await tryCodes(context, drawn), listed: all.length, defaults, wrongActions: us.wrongActions };
  },
};

async function createUs(
  context: ScenarioContext,
): Promise<{ exchange: Exchange } & Pick<CountryBrowsers, 'wrongActions'>> {
  const exchange = await context.browsers.create({ proxyCountryCode: 'us' });
  const id = identifier(memberAt(exchange.json, 'id'));
  if (!succeeded(exchange) || id === undefined) return { exchange, wrongActions: [] };
  const wrongActions: CountryBrowsers['wrongActions'] = [];
  // A stateless target has no live browser.
  for (const body of context.target.stateless ? [] : wrongBodies) {
    wrongActions.push({ body, exchange: await context.browsers.stop(id, body) });
  }
  const entry = context.ledger.find('browser', id);
  if (entry !== undefined) await context.resources.end(entry);
  return { exchange, wrongActions };
}

/** Bodies that the stop operation has to refuse. */
export const wrongBodies: readonly JsonObject[] = [{}, { action: 'restart' }, { action: 'STOP' }, { action: ['stop'] }];

async function tryCodes(context: ScenarioContext, codes: readonly string[]): Promise<CountryBrowsers['codes']> {
  let unended = 0;
  // All of them come to rest before the first error is told: nothing may be created after the scenario has ended.
  const tried = await Promise.allSettled(
    codes.map((code) =>
      context.live(async () => {
        if (unended >= unendedMax) return [];
        const { exchange, ended } = await context.browsers.trial({ proxyCountryCode: code });
        unended += ended ? 0 : 1;
        return [{ code, exchange }];
      }),
    ),
  );
  return tried.flatMap((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** Codes that the contract lists, but for the one that has a browser of its own. */
function listed(schemas: Schemas): string[] {
  const words = schemas.component('v4', 'ProxyCountryCode')['enum'];
  return Array.isArray(words) ? words.filter((code) => typeof code === 'string' && code !== 'us').map(String) : [];
}

/** Where a browser comes out, as somebody else sees it. */
export interface Egress {
  created: Exchange;
  /** Lower-case code; undefined when the checker did not show one. */
  country: string | undefined;
  /** Undefined when the checker did not show one. */
  address: string | undefined;
  /** Why nothing was read. */
  fault?: string;
}

/** Browsers that were led to a country checker. */
export interface EgressBrowsers {
  /** Created without a country. */
  plain: Egress;
  /** Created with us. */
  us: Egress;
  /** Created with null. */
  none: Egress;
  /** Created with another country. */
  other: Egress & { code: string };
}

/** Countries in which there are exits if there are any, and whose code is the same to everybody; one is drawn. */
export const countries = ['au', 'br', 'ca', 'de', 'es', 'fr', 'in', 'it', 'jp', 'nl'];

/** Four browsers, one after the other, that open the checker of the target file. */
export const egressBrowsers: Scenario<EgressBrowsers> = {
  name: 'egress-browsers',
  creates: 'four V4 browsers (no country, us, null and one other) that open the country checker, stopped at once',
  spend: 'browser',
  browsers: () => 4,
  dispatches: 0,
  stateful: true,
  unavailable: (target) =>
    noBrowsers(target) ??
    (target.checkers.country === null ? 'the target file names no country checker (checkers.country)' : undefined),
  run: async (context) => {
    const [code = 'de'] = sample(countries, 1, context.seed);
    const look = (body: JsonObject): Promise<Egress> => context.live(() => lookFrom(context, body));
    return {
      plain: await look({}),
      us: await look({ proxyCountryCode: 'us' }),
      none: await look({ proxyCountryCode: null }),
      other: { ...(await look({ proxyCountryCode: code })), code },
    };
  },
};

async function lookFrom(context: ScenarioContext, body: JsonObject): Promise<Egress> {
  const { created, browser } = await launch(context, body);
  const nothing = { created, country: undefined, address: undefined };
  if (browser === undefined) return { ...nothing, fault: `browser creation ${describeAnswer(created)}` };
  const read = await persist(context, context.target.polling.startDeadlineMs, () => readChecker(context, browser));
  const entry = context.ledger.find('browser', browser.id);
  if (entry !== undefined) await context.resources.end(entry);
  return 'fault' in read
    ? { ...nothing, fault: read.fault }
    : { created, ...egressOf(context.target.checkers, read.value) };
}

/** The text of the checker's page, once it has arrived. */
const pageText = `location.protocol.startsWith('http') && document.readyState === 'complete' ? document.body.innerText : ''`;

async function readChecker(context: ScenarioContext, browser: LiveBrowser): Promise<string> {
  return useBrowser(context, { browser, client: 'raw' }, async (client: CdpClient) => {
    const mark = context.mark();
    await client.open(mark);
    // The mark stays in the address, so that the page is found again.
    await client.evaluate(mark, `location.href = ${JSON.stringify(`${context.target.checkers.country}#${mark}`)}`);
    const deadline = context.nowMs() + context.target.polling.settleDeadlineMs;
    let text = '';
    while (text === '' && context.nowMs() < deadline) {
      await context.pause(context.target.polling.intervalMs);
      text = (await client.evaluate(mark, pageText)) ?? '';
    }
    if (text === '') throw new CdpFault('the country checker did not open in the browser');
    return text;
  });
}

function egressOf({ countryIn, addressIn }: TargetCheckers, text: string): Pick<Egress, 'country' | 'address'> {
  const json = parseJson(text);
  const country = countryIn === null ? text.trim() : memberAt(json, countryIn);
  const address = addressIn === null ? undefined : memberAt(json, addressIn);
  return {
    country: typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toLowerCase() : undefined,
    address: typeof address === 'string' ? address : undefined,
  };
}
