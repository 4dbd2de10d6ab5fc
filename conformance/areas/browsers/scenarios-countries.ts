import { noBrowsers } from '../../ledger/browser-api.ts';
import type { Exchange } from '../../core/exchange.ts';
import { sample } from '../../core/random.ts';
import { contractSchemas, type Schemas } from '../../core/schemas.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { settleAll } from '../../core/outcome.ts';
import { type AcceptanceProbe, probeAcceptance, type ProbedTable } from '../../common/acceptance-probes.ts';
import { launch, type LiveBrowser, persist, useBrowser } from '../../common/observed-browser.ts';
import { errorLocations } from '../../common/refusals.ts';
import { requestObject } from '../../core/request-json.ts';
import { connectAndLeave, type EndedBrowser, endOne, noteRecords, useProfile } from './scenarios-ends.ts';
import type { NamedRecord } from './scenarios-bills.ts';
import { type Egress, hasChecker, readEgress } from './scenarios-egress.ts';
import { type BrowserPair, createPair, longMinutes } from './scenarios-pair.ts';

/**
 * Observations of a pair of browsers, one with a country and one without, and the answers to creations with listed
 * country codes.
 */
export interface CountryBrowsers extends BrowserPair {
  /**
   * The country codes that were sent, each with its answer. `egress` is undefined if no browser was created or the
   * target has no country checker.
   */
  codes: { code: string; exchange: Exchange; egress: Egress | undefined }[];
  /**
   * Listed codes, each in a request that the target refuses for another reason. Empty if no refusal shows that the
   * target validates the codes.
   */
  probes: AcceptanceProbe<CountryCell>[];
  /** Number of country codes that the contract lists besides `us`. */
  listed: number;
}

/** A country code that the contract lists, as a cell of the requirement about listed codes. */
export interface CountryCell {
  key: string;
}

/** Maximum number of country codes that a run sends unless it sends the full matrix. */
const sampleSize = 3;

/**
 * Maximum number of browsers that have not ended after their stop. At this number, no further country code is tried.
 */
const unendedMax = 2;

/**
 * Creates browsers in several countries, two browsers with a profile, and a browser for a longer time. Stops each
 * browser after a few observations. Records the answers, the records after events that must not end a browser, and the
 * ends.
 */
export const countryBrowsers: Scenario<CountryBrowsers> = {
  name: 'country-browsers',
  creates: `V4 browsers with us, with null, with ${sampleSize} country codes (all codes with --matrix full) and again with the first of them, two with a profile, one for a longer time and one that no client uses, each stopped at once`,
  spend: 'browser',
  // Includes two browsers with a profile, one browser for a longer time, one that no client uses, a second browser with
  // the first country code, and one more browser on a target that ignores an unknown profile.
  browsers: (matrix) => 8 + (matrix === 'full' ? listed(contractSchemas).length : sampleSize),
  furtherHours: longMinutes / 60 - 1,
  dispatches: 0,
  stateful: false,
  unavailable: noBrowsers,
  run: async (context) => {
    const all = listed(context.schemas);
    const drawn = context.matrix === 'full' ? all : drawCodes(all, context.seed);
    let probes: CountryBrowsers['probes'] = [];
    const probe = async (): Promise<void> => {
      probes = await probeAcceptance(context, codeTable(all));
    };
    const pair = await context.live(() => createPair(context, probe));
    const isShown = pair.attempts.length > 0;
    const profiled = isShown
      ? await context.live(() => useProfile(context, pair.bills))
      : { attempts: [], stops: [], spares: [] };
    const { codes, left, stops } = await tryCodes(context, drawn, isShown);
    const attempts = [...pair.attempts, ...profiled.attempts, ...left];
    const late = pair.bills && (await context.browsers.get(pair.bills.id));
    return {
      ...pair,
      codes,
      probes,
      listed: all.length,
      attempts,
      bills: pair.bills && { ...pair.bills, spares: [...pair.bills.spares, ...profiled.spares], late },
      stops: [...pair.stops, ...profiled.stops, ...stops],
    };
  },
};

/**
 * Returns true for a 422 whose `loc` names the country. The error text is not searched, because it may repeat the body
 * of the request.
 */
export function isAboutCountry(exchange: Exchange): boolean {
  return errorLocations(exchange).some((loc) => loc.some((part) => typeof part === 'string' && /country/i.test(part)));
}

/**
 * Returns the table of probes that send each code in a creation that the target refuses for another reason, so that no
 * browser starts.
 */
function codeTable(codes: readonly string[]): ProbedTable<CountryCell> {
  return {
    generation: 'v4',
    creates: 'browser',
    cells: codes.map((key) => ({ key })),
    control: { key: 'zz' },
    bare: () => ({}),
    value: ({ key }) => ({ proxyCountryCode: key }),
    isAbout: (_cell, exchange) => isAboutCountry(exchange),
  };
}

/** Returns `uk`, which the contract lists in place of the ISO code `gb`, and further codes drawn by the seed. */
function drawCodes(all: readonly string[], seed: number): string[] {
  const own = all.filter((code) => code === 'uk');
  const others = all.filter((code) => code !== 'uk');
  return [...own, ...sample(others, sampleSize - own.length, seed)];
}

/** Responses to creations with country codes, and the observations of the created browsers. */
interface TriedCodes {
  codes: CountryBrowsers['codes'];
  left: NamedRecord[];
  stops: EndedBrowser[];
}

async function tryCodes(context: ScenarioContext, codes: readonly string[], isShown: boolean): Promise<TriedCodes> {
  const left: NamedRecord[] = [];
  const stops: EndedBrowser[] = [];
  const tried = await settleAll(
    codes.map((code, index) =>
      context.live(async () => {
        if (stops.filter(({ ended }) => !ended).length >= unendedMax) return [];
        const { created, browser } = await launch(context, { proxyCountryCode: code });
        if (browser === undefined) return [{ code, exchange: created, egress: undefined }];
        const isFirst = isShown && index === 0;
        if (isFirst) left.push(...(await connectAndLeave(context, browser, 'in another country')));
        const twin = isFirst ? await createTwin(context, browser) : undefined;
        left.push(...(twin?.left ?? []));
        const egress = hasChecker(context.target) ? await readEgress(context, browser) : undefined;
        const stop = await endOne(context, browser);
        if (stop !== undefined) stops.push({ ...stop, isTwinCut: twin?.isCut });
        if (twin !== undefined) stops.push(...twin.stops);
        return [{ code, exchange: created, egress }];
      }),
    ),
  );
  return { codes: tried.flat(), left, stops };
}

/** Observations of a browser before and after a second browser is created with an equal request. */
interface Twin {
  /** The record of the first browser after the creation of the second one. */
  left: NamedRecord[];
  /** The stop of the second browser. */
  stops: EndedBrowser[];
  /** True if a client could connect to the first browser before the creation of the second one, and none afterwards. */
  isCut: boolean;
}

/** Repeats the creation request of a browser, observes this browser, and stops the second one. */
async function createTwin(context: ScenarioContext, browser: LiveBrowser): Promise<Twin | undefined> {
  const connect = (): Promise<void> => useBrowser(context, { browser, client: 'raw' }, (client) => client.ping());
  const isDead = async (): Promise<boolean> =>
    'fault' in (await persist(context, context.target.polling.settleDeadlineMs, connect));
  // A browser may have ended with its client.
  const wasReached = browser.reached && !(await isDead());
  const { browser: twin } = await launch(context, requestObject(browser.created));
  if (twin === undefined) return undefined;
  const left: NamedRecord[] = [];
  await noteRecords(context, browser.id, left)('the creation of another browser in its country');
  const isCut = wasReached && (await isDead());
  const stops = [await endOne(context, twin)].filter((stop) => stop !== undefined);
  return { left, stops, isCut };
}

/**
 * Returns the country codes that the contract lists, without `us`, for which the scenario creates a separate browser.
 */
function listed(schemas: Schemas): string[] {
  const words = schemas.component('v4', 'ProxyCountryCode')['enum'];
  return Array.isArray(words) ? words.filter((code) => typeof code === 'string' && code !== 'us').map(String) : [];
}
