import { noBrowsers } from '../../ledger/browser-api.ts';
import { describeAnswer, type Exchange, isCapacity } from '../../core/exchange.ts';
import { unwatchableReason } from '../../core/job-target.ts';
import { type JsonObject, memberAt, parseJson, toText } from '../../core/json.ts';
import { ifTestable } from '../../core/outcome.ts';
import { sample } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { CdpFault } from '../../transport/cdp/index.ts';
import type { CdpClient } from '../../core/cdp.ts';
import type { Target, TargetCheckers } from '../../core/target.ts';
import { createJob, isOver, watchJob } from '../../common/observed-job.ts';
import { runBody } from '../../common/probe-bodies.ts';
import { endBrowser, launch, type LiveBrowser, persist, useBrowser } from '../../common/observed-browser.ts';

/** The egress of a browser, as an external checker sees it. */
export interface Egress {
  created: Exchange;
  /** Lower-case country code; undefined when the checker showed no country. */
  country: string | undefined;
  /** IP address; undefined when the checker showed no address. */
  address: string | undefined;
  /** Reason why neither country nor address was read. */
  fault?: string;
  /** Egress as later clients of the same browser read it. */
  later: LaterEgress[];
}

/** The egress of a browser as a later client read it, and the event after which this client connected. */
export interface LaterEgress {
  after: string;
  country: string | undefined;
  address: string | undefined;
}

/** Browsers that opened the country checker. */
export interface EgressBrowsers {
  /** Egress of a browser whose creation named no country. */
  plain: Egress;
  /**
   * Egress of a browser that was created with `us`, while the browser in another country was active. If that browser
   * could not be created, or the project had no capacity for two browsers, `us` was created alone.
   */
  us: Egress;
  /** Egress of a browser that was created with the country null, which means without a proxy. */
  none: Egress;
  /** Egress of a browser that was created with a country other than `us`, and its code. */
  other: Egress & { code: string };
}

/** Countries where proxies are common and whose code is unambiguous. The seed selects one. */
export const countries = ['au', 'br', 'ca', 'de', 'es', 'fr', 'in', 'it', 'jp', 'nl'];

/**
 * Creates four browsers, which open the country checker. Records the country and IP address of each, and again for
 * later clients.
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
    const plain = await look({});
    const pair = await context.live(() => lookFromTwo(context, code));
    return { plain, ...pair, none: await look({ proxyCountryCode: null }) };
  },
};

/** Returns true if the browsers of a target can open a country checker. */
export function hasChecker({ checkers, v4 }: Target): boolean {
  return checkers.country !== null && v4?.browsers?.drivable !== false;
}

const nothing = { country: undefined, address: undefined, later: [] };

/**
 * Creates a browser with the country `code`, and a browser with `us` while the first browser is active. Reads the
 * egress of the first browser again after its client has left, and after the end of the second browser.
 */
async function lookFromTwo(context: ScenarioContext, code: string): Promise<Pick<EgressBrowsers, 'us' | 'other'>> {
  const { created, browser } = await launch(context, { proxyCountryCode: code });
  const us = { proxyCountryCode: 'us' };
  if (browser === undefined) {
    const fault = `browser creation ${describeAnswer(created)}`;
    return { us: await lookFrom(context, us), other: { created, ...nothing, code, fault } };
  }
  const other = await readEgress(context, browser);
  if (other.fault === undefined) await readAgain(context, { browser, egress: other }, 'a client had left it');
  const beside = await lookFrom(context, us);
  if (other.fault === undefined) await readAgain(context, { browser, egress: other }, 'a browser in us had ended');
  await endBrowser(context, browser);
  // A project may have room for one browser at a time.
  const last = isCapacity(beside.created.status) ? await lookFrom(context, us) : beside;
  return { us: last, other: { ...other, code } };
}

async function lookFrom(context: ScenarioContext, body: JsonObject): Promise<Egress> {
  const { created, browser } = await launch(context, body);
  if (browser === undefined) return { created, ...nothing, fault: `browser creation ${describeAnswer(created)}` };
  const egress = await readEgress(context, browser);
  if (egress.fault === undefined) await readAgain(context, { browser, egress }, 'a client had left it');
  await endBrowser(context, browser);
  return egress;
}

/**
 * Opens the country checker in a browser and returns the country and IP address that the checker shows. Retries until
 * the start deadline; then returns the reason as `fault`.
 */
export async function readEgress(context: ScenarioContext, browser: LiveBrowser): Promise<Egress> {
  const { created } = browser;
  const read = await persist(context, context.target.polling.startDeadlineMs, () => readChecker(context, browser));
  if ('fault' in read) return { created, ...nothing, fault: read.fault };
  return { created, later: [], ...parseEgress(context.target.checkers, read.value) };
}

/**
 * Opens the country checker with a new client, and adds the result to `egress.later`. Adds nothing if the checker does
 * not open before the settle deadline.
 */
async function readAgain(
  context: ScenarioContext,
  { browser, egress }: { browser: LiveBrowser; egress: Egress },
  after: string,
): Promise<void> {
  const read = await persist(context, context.target.polling.settleDeadlineMs, () => readChecker(context, browser));
  if ('value' in read) egress.later.push({ after, ...parseEgress(context.target.checkers, read.value) });
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

function parseEgress({ countryIn, addressIn }: TargetCheckers, text: string): Pick<Egress, 'country' | 'address'> {
  const json = parseJson(text);
  const country = countryIn === null ? text.trim() : memberAt(json, countryIn);
  const address = addressIn === null ? undefined : memberAt(json, addressIn);
  return {
    country: typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toLowerCase() : undefined,
    address: typeof address === 'string' ? address : undefined,
  };
}

/** A V4 run whose task reads the country checker. */
export interface CountryRun {
  created: Exchange;
  /** Lower-case country codes that the result names; empty without a result. */
  codes: string[];
}

/** Runs that differ only in the country of their `browserSettings`. Undefined for a run that was not created. */
export interface CountryRuns {
  /** A run without `browserSettings`. */
  plain: CountryRun | undefined;
  us: CountryRun | undefined;
  /** A run with the country null. */
  none: CountryRun | undefined;
}

/** Creates three runs, one after the other, that read the country checker. */
export const countryRuns: Scenario<CountryRuns> = {
  name: 'country-runs',
  creates: 'three V4 runs that open the country checker (without browserSettings, with the country us, and with null)',
  spend: 'task',
  dispatches: 3,
  stateful: true,
  unavailable: (target) =>
    unwatchableReason(target, 'run') ??
    (target.checkers.country === null ? 'the target file names no country checker (checkers.country)' : undefined) ??
    (target.tasks.country === null ? 'the target file names no task that reads a country (tasks.country)' : undefined),
  run: (context) =>
    context.live(async () => ({
      plain: await runFrom(context, {}),
      us: await runFrom(context, { browserSettings: { proxyCountryCode: 'us' } }),
      none: await runFrom(context, { browserSettings: { proxyCountryCode: null } }),
    })),
};

async function runFrom(context: ScenarioContext, settings: JsonObject): Promise<CountryRun | undefined> {
  const { checkers, tasks, polling } = context.target;
  const task = toText(tasks.country).replaceAll('{url}', toText(checkers.country));
  const jobs = context.jobs.run;
  return ifTestable(async () => {
    context.deadlines.assertWorthStarting('run');
    const { id, dispatched } = await createJob(jobs, { ...runBody(context.target, task), ...settings });
    await watchJob(context, jobs, { id, until: isOver, deadlineMs: polling.taskDeadlineMs });
    return { created: dispatched, codes: findCodes(toText((await jobs.look(id)).result)) };
  });
}

/**
 * Returns the country codes in the result of an agent, in lower case: the whole text, or words of two letters in capital
 * letters or quotes.
 */
function findCodes(text: string): string[] {
  const [whole] = /^[a-z]{2}$/i.exec(text.trim()) ?? [];
  const words = whole === undefined ? text.matchAll(/\b[A-Z]{2}\b|(?<=["'`])[a-z]{2}(?=["'`])/g) : [[whole]];
  return [...new Set([...words].map(([word]) => word.toLowerCase()))];
}
