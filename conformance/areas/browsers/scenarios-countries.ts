import { noBrowsers } from '../../ledger/browser-api.ts';
import { describeAnswer, type Exchange, isCapacity } from '../../core/exchange.ts';
import { identifier, type JsonObject, type JsonValue, memberAt, parseJson } from '../../core/json.ts';
import { createRandom, randomUuid, sample } from '../../core/random.ts';
import { contractSchemas, type Schemas } from '../../core/schemas.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { CdpFault } from '../../transport/cdp/index.ts';
import type { CdpClient } from '../../core/cdp.ts';
import type { TargetCheckers } from '../../core/target.ts';
import { type AcceptanceProbe, probeAcceptance, type ProbedTable } from '../../common/acceptance-probes.ts';
import { attempt, launch, type LiveBrowser, persist, useBrowser } from '../../common/observed-browser.ts';
import { encodePart } from '../../core/path-with-id.ts';

/** Browsers that were created with a country and stopped at once. */
export interface CountryBrowsers {
  /** The country codes that were sent, each with its answer. */
  codes: { code: string; exchange: Exchange }[];
  /** Listed codes in requests that are refused for another reason; empty where the target does not validate them first. */
  probes: AcceptanceProbe<CountryCell>[];
  /** Number of listed codes besides `us`. */
  listed: number;
  /** Answers to creation with `us` and with null. */
  defaults: { country: string | null; exchange: Exchange }[];
  /** Answers to invalid bodies of the stop operation, for a live browser. */
  wrongActions: { body: JsonValue; exchange: Exchange }[];
  /** Records of a browser after requests that are no stop operation of it; empty if the target shows none. */
  attempts: { name: string; record: Exchange }[];
  /** The stops of the browsers with `us` and with null. */
  stops: EndedBrowser[];
}

/** A listed country code. */
export interface CountryCell {
  key: string;
}

/** A browser after its stop. */
export interface EndedBrowser {
  created: Exchange;
  /** Whether it ended within the settle deadline of the target. */
  ended: boolean;
  /** Whether its former URL led to a working browser while another one was active; undefined where that was not tried. */
  isReached: boolean | undefined;
  /** Whether a client of another browser lost its connection during the stop; undefined where none was connected. */
  isNeighborCut?: boolean | undefined;
}

/** Maximum number of country codes that a run sends unless it sends the full matrix. */
const sampleSize = 3;

/** Maximum number of browsers that have not ended after their stop. After that, no further browser is created. */
const unendedMax = 2;

/** Creates browsers in several countries and stops each at once, without driving it. Records the answers. */
export const countryBrowsers: Scenario<CountryBrowsers> = {
  name: 'country-browsers',
  creates: `V4 browsers with us, with null, with ${sampleSize} country codes (all codes with --matrix full) and two with a profile, each stopped at once`,
  spend: 'browser',
  // Two with a profile, and one more on a target that ignores an unknown profile.
  browsers: (matrix) => 5 + (matrix === 'full' ? listed(contractSchemas).length : sampleSize),
  dispatches: 0,
  stateful: false,
  unavailable: noBrowsers,
  run: async (context) => {
    const all = listed(context.schemas);
    const drawn = context.matrix === 'full' ? all : drawCodes(all, context.seed);
    const pair = await context.live(() => createPair(context));
    const profiled = pair.attempts.length === 0 ? [] : await context.live(() => useProfile(context));
    const probes = await probeAcceptance(context, codeTable(all));
    const attempts = [...pair.attempts, ...profiled];
    const isShown = pair.attempts.length > 0;
    const { codes, left } = await tryCodes(context, drawn, isShown);
    return { codes, probes, listed: all.length, ...pair, attempts: [...attempts, ...left] };
  },
};

/**
 * Returns true for a refusal whose `loc` names the country. The error text is not searched, because it may repeat the
 * body of the request.
 */
export function isAboutCountry({ status, json }: Exchange): boolean {
  const detail = memberAt(json, 'detail');
  const places = Array.isArray(detail) ? detail.map((one) => memberAt(one, 'loc')) : [];
  const isCountry = (part: JsonValue): boolean => typeof part === 'string' && /country/i.test(part);
  return status === 422 && places.some((loc) => Array.isArray(loc) && loc.some(isCountry));
}

/** Returns the requests that send every code without starting a browser. */
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

/** Creates browsers with `us` and with null, sends requests that must not stop the first, and stops one after the other. */
async function createPair(context: ScenarioContext): Promise<Omit<CountryBrowsers, 'codes' | 'probes' | 'listed'>> {
  const us = await launch(context, { proxyCountryCode: 'us' });
  const before = us.browser === undefined ? undefined : await context.browsers.get(us.browser.id);
  const wrongActions = us.browser === undefined ? [] : await sendWrongActions(context, us.browser);
  const isShown = before !== undefined && context.browsers.hasEnded(before) === false;
  const attempts = us.browser === undefined || !isShown ? [] : await sendOtherRequests(context, us.browser);
  const tried = await launch(context, { proxyCountryCode: null });
  const left =
    isShown && tried.browser !== undefined ? await connectAndLeave(context, tried.browser, 'without a proxy') : [];
  const first = us.browser === undefined ? undefined : await endFirst(context, us.browser, tried.browser);
  // A project may have room for one browser at a time.
  const none = isCapacity(tried.created.status) ? await launch(context, { proxyCountryCode: null }) : tried;
  const second = none.browser === undefined ? undefined : await endOne(context, none.browser, undefined);
  const defaults = [
    { country: 'us', exchange: us.created },
    { country: null, exchange: none.created },
  ];
  const stops = [first, second].filter((stop) => stop !== undefined);
  return { defaults, wrongActions, attempts: [...attempts, ...left], stops };
}

/** Ends a browser, and sends it an action that is no stop. */
async function endFirst(
  context: ScenarioContext,
  browser: LiveBrowser,
  other: LiveBrowser | undefined,
): Promise<EndedBrowser | undefined> {
  const stop = await endBesideClient(context, browser, other);
  if (stop?.ended === true && !context.target.stateless) await context.browsers.stop(browser.id, { action: 'restart' });
  return stop;
}

/** Stops a browser while a client is connected to another one, if the other browser takes clients. */
async function endBesideClient(
  context: ScenarioContext,
  browser: LiveBrowser,
  other: LiveBrowser | undefined,
): Promise<EndedBrowser | undefined> {
  let stop: EndedBrowser | undefined;
  if (other !== undefined && !context.target.stateless)
    await attempt(() =>
      context.cdp.use('raw', other.cdpUrl, async (client) => {
        await client.ping();
        stop = await endOne(context, browser, other);
        const next = await attempt(() => client.ping());
        if (stop !== undefined) stop.isNeighborCut = 'fault' in next;
      }),
    );
  return stop ?? endOne(context, browser, other);
}

/** Connects to a browser, leaves it and fetches its record. */
async function connectAndLeave(
  context: ScenarioContext,
  { id, cdpUrl }: LiveBrowser,
  kind: string,
): Promise<CountryBrowsers['attempts']> {
  const connected = await attempt(() => context.cdp.use('raw', cdpUrl, (client) => client.ping()));
  if ('fault' in connected) return [];
  // A browser may end some time after its client.
  await context.pause(context.target.polling.intervalMs);
  const record = await context.browsers.get(id);
  return record === undefined ? [] : [{ name: `the departure of a client from a browser ${kind}`, record }];
}

async function sendWrongActions(
  { browsers, target }: ScenarioContext,
  { id }: LiveBrowser,
): Promise<CountryBrowsers['wrongActions']> {
  const wrongActions: CountryBrowsers['wrongActions'] = [];
  // A stateless target has no live browser.
  for (const body of target.stateless ? [] : wrongBodies) {
    wrongActions.push({ body, exchange: await browsers.stop(id, body) });
  }
  return wrongActions;
}

/** Sends DELETE, which is no stop operation of the contract, and fetches the record after each group of requests. */
async function sendOtherRequests(context: ScenarioContext, { id }: LiveBrowser): Promise<CountryBrowsers['attempts']> {
  if (context.target.stateless) return [];
  const afterActions = await context.browsers.get(id);
  if (afterActions === undefined) return [];
  const path = `/browsers/${encodePart(id)}`;
  await context.send({ generation: 'v4', operation: 'deleteBrowser', method: 'DELETE', path, invalid: true });
  const afterDelete = await context.browsers.get(id);
  const attempts = [
    { name: 'PATCH with another action', record: afterActions },
    { name: 'DELETE', record: afterDelete ?? afterActions },
  ];
  const note = noteRecords(context, id, attempts);
  await context.browsers.stop(randomUuid(createRandom(context.seed + 7)));
  await note('the stop of an unknown browser');
  await context.resources.probe('browser', {
    generation: 'v4',
    operation: 'createBrowser',
    method: 'POST',
    path: '/browsers',
    body: { proxyCountryCode: 'zz' },
  });
  await note('a refused creation');
  if (context.operations.offers('v4.listBrowserDownloads')) {
    await context.operations.call('v4.listBrowserDownloads', { path: [id] });
    await note('a look at its downloads');
  }
  return attempts;
}

/** Returns a function that fetches the record of a browser after a request and adds it under the request's name. */
function noteRecords(
  context: ScenarioContext,
  id: string,
  attempts: CountryBrowsers['attempts'],
): (name: string) => Promise<void> {
  return async (name) => {
    const record = await context.browsers.get(id);
    if (record !== undefined) attempts.push({ name, record });
  };
}

/** Creates a second browser with the profile of a first one, stops it and deletes the profile. */
async function useProfile(context: ScenarioContext): Promise<CountryBrowsers['attempts']> {
  const { operations } = context;
  if (!operations.offers('v4.createProfile') || !operations.offers('v4.deleteProfile')) return [];
  const profile = await operations.create('profile', 'v4.createProfile');
  const profileId = identifier(memberAt(profile.json, 'id'));
  const first = profileId === undefined ? undefined : (await launch(context, { profileId })).browser;
  if (first === undefined || profileId === undefined) return [];
  const attempts: CountryBrowsers['attempts'] = [];
  const note = noteRecords(context, first.id, attempts);
  const { browser } = await launch(context, { profileId });
  await note('a second browser with its profile');
  if (browser !== undefined) await endOne(context, browser, undefined);
  const entry = context.ledger.find('profile', profileId);
  if (entry !== undefined) await context.resources.end(entry);
  await note('the deletion of its profile');
  await endOne(context, first, undefined);
  return attempts;
}

/** Stops a browser and connects to its former URL while another browser works. */
async function endOne(
  context: ScenarioContext,
  { created, id, cdpUrl }: LiveBrowser,
  other: LiveBrowser | undefined,
): Promise<EndedBrowser | undefined> {
  const entry = context.ledger.find('browser', id);
  if (entry === undefined) return undefined;
  const ended = await context.resources.end(entry);
  if (other === undefined || !ended || context.target.stateless) return { created, ended, isReached: undefined };
  const reached = await attempt(() => context.cdp.use('raw', cdpUrl, (client) => client.ping()));
  return { created, ended, isReached: !('fault' in reached) };
}

/** Bodies that the stop operation must refuse. */
export const wrongBodies: readonly JsonValue[] = [
  {},
  { action: 'restart' },
  { action: 'STOP' },
  { action: ['stop'] },
  { action: null },
  { action: ' stop' },
  { action: 'stopped' },
  { action: 'close' },
  { action: 'pause' },
  { action: true },
  { action: { stop: true } },
  [{ action: 'stop' }],
  'stop',
];

async function tryCodes(
  context: ScenarioContext,
  codes: readonly string[],
  isShown: boolean,
): Promise<{ codes: CountryBrowsers['codes']; left: CountryBrowsers['attempts'] }> {
  let unended = 0;
  const left: CountryBrowsers['attempts'] = [];
  // Waits for all of them before throwing the first error: nothing may be created after the scenario has ended.
  const tried = await Promise.allSettled(
    codes.map((code, index) =>
      context.live(async () => {
        if (unended >= unendedMax) return [];
        const isLeft = isShown && index === 0;
        const { exchange, ended } = isLeft
          ? await visitCountry(context, code, left)
          : await context.browsers.trial({ proxyCountryCode: code });
        unended += ended ? 0 : 1;
        return [{ code, exchange }];
      }),
    ),
  );
  const answered = tried.flatMap((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return { codes: answered, left };
}

/** Creates a browser in a country, connects a client that leaves, and ends the browser. */
async function visitCountry(
  context: ScenarioContext,
  code: string,
  left: CountryBrowsers['attempts'],
): Promise<{ exchange: Exchange; ended: boolean }> {
  const { created, browser } = await launch(context, { proxyCountryCode: code });
  if (browser === undefined) return { exchange: created, ended: true };
  left.push(...(await connectAndLeave(context, browser, 'in another country')));
  return { exchange: created, ended: (await endOne(context, browser, undefined))?.ended ?? false };
}

/** Returns the country codes of the contract without `us`, which has its own browser. */
function listed(schemas: Schemas): string[] {
  const words = schemas.component('v4', 'ProxyCountryCode')['enum'];
  return Array.isArray(words) ? words.filter((code) => typeof code === 'string' && code !== 'us').map(String) : [];
}

/** The egress of a browser, as an external checker sees it. */
export interface Egress {
  created: Exchange;
  /** Lower-case country code; undefined when the checker did not show one. */
  country: string | undefined;
  /** IP address; undefined when the checker did not show one. */
  address: string | undefined;
  /** Reason why nothing was read. */
  fault?: string;
}

/** Browsers that opened the country checker. */
export interface EgressBrowsers {
  /** Created without a country. */
  plain: Egress;
  /** Created with `us`. */
  us: Egress;
  /** Created with null. */
  none: Egress;
  /** Created with another country. */
  other: Egress & { code: string };
}

/** Countries where proxies are common and whose code is unambiguous. The seed selects one. */
export const countries = ['au', 'br', 'ca', 'de', 'es', 'fr', 'in', 'it', 'jp', 'nl'];

/**
 * Creates four browsers, one after the other, which open the country checker. Records the country and IP address of
 * each.
 */
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
    : { created, ...readEgress(context.target.checkers, read.value) };
}

/** Expression for the text of the checker's page; an empty string until the page has loaded. */
const pageText = `location.protocol.startsWith('http') && document.readyState === 'complete' ? document.body.innerText : ''`;

async function readChecker(context: ScenarioContext, browser: LiveBrowser): Promise<string> {
  return useBrowser(context, { browser, client: 'raw' }, async (client: CdpClient) => {
    const mark = context.mark();
    await client.open(mark);
    // The mark stays in the URL, so that the page can be found again.
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

function readEgress({ countryIn, addressIn }: TargetCheckers, text: string): Pick<Egress, 'country' | 'address'> {
  const json = parseJson(text);
  const country = countryIn === null ? text.trim() : memberAt(json, countryIn);
  const address = addressIn === null ? undefined : memberAt(json, addressIn);
  return {
    country: typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toLowerCase() : undefined,
    address: typeof address === 'string' ? address : undefined,
  };
}
