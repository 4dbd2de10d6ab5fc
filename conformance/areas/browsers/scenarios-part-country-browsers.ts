import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier, memberAt } from '../../core/json.ts';
import { sample } from '../../core/random.ts';
import { type Schemas, contractSchemas } from '../../core/schemas.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';

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
  drive: async (drive) => {
    const all = listed(drive.schemas);
    const drawn = drive.matrix === 'full' ? all : sample(all, sampleSize, drive.seed);
    const us = await drive.live(() => createUs(drive));
    const none = await drive.live(() => drive.browsers.trial({ proxyCountryCode: null }));
    const defaults = [
      { country: 'us', exchange: us.exchange },
      { country: null, exchange: none.exchange },
    ];
    return { codes: await tryCodes(drive, drawn), listed: all.length, defaults, wrongActions: us.wrongActions };
  },
};

async function createUs(drive: Drive): Promise<{ exchange: Exchange } & Pick<CountryBrowsers, 'wrongActions'>> {
  const exchange = await drive.browsers.create({ proxyCountryCode: 'us' });
  const id = identifier(memberAt(exchange.json, 'id'));
  if (!succeeded(exchange) || id === undefined) return { exchange, wrongActions: [] };
  const wrongActions: CountryBrowsers['wrongActions'] = [];
  // A stateless target has no live browser.
  for (const body of drive.target.stateless ? [] : wrongBodies) {
    wrongActions.push({ body, exchange: await drive.browsers.stop(id, body) });
  }
  const entry = drive.ledger.find('browser', id);
  if (entry !== undefined) await drive.things.end(entry);
  return { exchange, wrongActions };
}

/** Bodies that the stop operation has to refuse. */
export const wrongBodies: readonly JsonObject[] = [{}, { action: 'restart' }, { action: 'STOP' }, { action: ['stop'] }];

async function tryCodes(drive: Drive, codes: readonly string[]): Promise<CountryBrowsers['codes']> {
  let unended = 0;
  // All of them come to rest before the first error is told: nothing may be created after the scenario has ended.
  const tried = await Promise.allSettled(
    codes.map((code) =>
      drive.live(async () => {
        if (unended >= unendedMax) return [];
        const { exchange, ended } = await drive.browsers.trial({ proxyCountryCode: code });
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
