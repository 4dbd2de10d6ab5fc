import { type CdpClient, CdpFault } from '../../transport/cdp/index.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, describeAnswer } from '../../core/exchange.ts';
import { type JsonObject, memberAt, parseJson } from '../../core/json.ts';
import { sample } from '../../core/random.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import type { TargetCheckers } from '../../core/target/target.ts';
import { type LiveBrowser, launch, persist, useBrowser } from '../common/observed-browser.ts';

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
  drive: async (drive) => {
    const [code = 'de'] = sample(countries, 1, drive.seed);
    const look = (body: JsonObject): Promise<Egress> => drive.live(() => lookFrom(drive, body));
    return {
      plain: await look({}),
      us: await look({ proxyCountryCode: 'us' }),
      none: await look({ proxyCountryCode: null }),
      other: { ...(await look({ proxyCountryCode: code })), code },
    };
  },
};

async function lookFrom(drive: Drive, body: JsonObject): Promise<Egress> {
  const { created, browser } = await launch(drive, body);
  const nothing = { created, country: undefined, address: undefined };
  if (browser === undefined) return { ...nothing, fault: `browser creation ${describeAnswer(created)}` };
  const read = await persist(drive, drive.target.polling.startDeadlineMs, () => readChecker(drive, browser));
  const entry = drive.ledger.find('browser', browser.id);
  if (entry !== undefined) await drive.things.end(entry);
  return 'fault' in read
    ? { ...nothing, fault: read.fault }
    : { created, ...egressOf(drive.target.checkers, read.value) };
}

/** The text of the checker's page, once it has arrived. */
const pageText = `location.protocol.startsWith('http') && document.readyState === 'complete' ? document.body.innerText : ''`;

async function readChecker(drive: Drive, browser: LiveBrowser): Promise<string> {
  return useBrowser(drive, { browser, client: 'raw' }, async (client: CdpClient) => {
    const mark = drive.mark();
    await client.open(mark);
    // The mark stays in the address, so that the page is found again.
    await client.evaluate(mark, `location.href = ${JSON.stringify(`${drive.target.checkers.country}#${mark}`)}`);
    const deadline = drive.nowMs() + drive.target.polling.settleDeadlineMs;
    let text = '';
    while (text === '' && drive.nowMs() < deadline) {
      await drive.pause(drive.target.polling.intervalMs);
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
