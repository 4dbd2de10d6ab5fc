import { stripEnd } from '#lib/trim-end.ts';
import type { RuleBook } from './rule-book.ts';

/** Consumption of a session; all integers of at least 0. */
export interface Meters {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost of the tokens in pico-dollars (1 USD = 10^12), in which each token has the price of its model. */
  readonly llmPicos: number;
  readonly proxyBytes: number;
  /** Runtime of browsers in milliseconds. */
  readonly browserMs: number;
}

/** Costs in micro-dollars (1 USD = 1,000,000); `total` is the exact sum of the three parts. */
export interface Costs {
  readonly llm: number;
  readonly proxy: number;
  readonly browser: number;
  readonly total: number;
}

const bytesPerGigabyte = 1_000_000_000;
const msPerMinute = 60_000;
const minutesPerHour = 60;

/** Pico-dollars of one micro-dollar. */
export const picosPerMicro = 1_000_000;

/**
 * Returns the costs of the consumption of a session. Each part is rounded up once to whole micro-dollars (design
 * section 8).
 */
export function priceMeters(
  pricing: Pick<RuleBook['pricing'], 'proxy' | 'browser'>,
  meters: Pick<Meters, 'llmPicos' | 'proxyBytes' | 'browserMs'>,
): Costs {
  const llm = Math.ceil(meters.llmPicos / picosPerMicro);
  const proxy = Math.ceil((meters.proxyBytes * pricing.proxy.microUsdPerGigabyte) / bytesPerGigabyte);
  const browser = Math.ceil(
    (billedMinutes(pricing, meters.browserMs) * pricing.browser.microUsdPerHour) / minutesPerHour,
  );
  return { llm, proxy, browser, total: llm + proxy + browser };
}

/**
 * Returns the number of billed minutes: each started minute counts, and at least the minimum; 0 if no browser ran
 * (companion 10 M2).
 */
function billedMinutes(pricing: Pick<RuleBook['pricing'], 'browser'>, browserMs: number): number {
  if (browserMs <= 0) return 0;
  return Math.max(pricing.browser.minimumMinutes, Math.ceil(browserMs / msPerMinute));
}

/** Renders micro-dollars as a decimal string without trailing zeros: 1500 -> "0.0015", 0 -> "0". */
export function microsToDecimal(micros: number): string {
  if (micros === 0) return '0';
  const whole = Math.trunc(micros / 1_000_000);
  const fraction = stripEnd(String(Math.abs(micros % 1_000_000)).padStart(6, '0'), /0/);
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}

/** Renders bytes as megabytes (1,000,000 bytes), exactly, with at most six decimal digits. */
export function bytesToMegabytes(bytes: number): string {
  return microsToDecimal(bytes);
}

/**
 * Converts an amount in US dollars to micro-dollars. A number is rounded to the nearest micro-dollar, a decimal string
 * is truncated after six decimal places. Returns null for a text that is not an amount, and for values that are not
 * finite or too large.
 */
export function usdToMicros(amount: number | string): number | null {
  const text = typeof amount === 'number' ? amount.toFixed(6) : amount;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return null;
  const micros = Number(whole) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  if (!Number.isSafeInteger(micros)) return null;
  return sign === '-' ? -micros : micros;
}

/**
 * Price of one input token and of one output token in pico-dollars (1 USD = 10^12), as integers of at least 0. A price
 * in pico-dollars per token equals the price in micro-dollars per million tokens.
 */
export interface TokenPrice {
  readonly inputPicos: number;
  readonly outputPicos: number;
}

/** Number of input and output tokens of a model call, both integers of at least 0. */
export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A model whose price is requested. */
export interface PricedModel {
  /** Normalised name in spec/rules/models.yaml. */
  readonly model: string;
  /** Whether the project's own provider key pays for the call. */
  readonly isOwnKey: boolean;
}

const wholePercent = 100;

/**
 * Returns the price of a model from spec/rules/pricing.yaml; a model without a row has the price of `anyModel`. For a
 * call with the project's own provider key, returns only the percentage `ownKey.percentOfPrice` of this price.
 */
export function tokenPrice(pricing: RuleBook['pricing'], { model, isOwnKey }: PricedModel): TokenPrice {
  const row = pricing.models.find((one) => one.model === model) ?? pricing.anyModel;
  return toTokenPrice(row, isOwnKey ? pricing.ownKey.percentOfPrice : wholePercent);
}

/** Returns the price of the tokens of a simulated model (decision 2). */
export function simulationPrice(pricing: RuleBook['pricing']): TokenPrice {
  return toTokenPrice(pricing.simulation, wholePercent);
}

/** Returns the cost of tokens at a price, in pico-dollars. */
export function tokenPicos({ inputPicos, outputPicos }: TokenPrice, { inputTokens, outputTokens }: Tokens): number {
  return inputTokens * inputPicos + outputTokens * outputPicos;
}

/** Returns `percent` of the token prices in a row, rounded up to whole pico-dollars. */
function toTokenPrice(row: RuleBook['pricing']['anyModel'], percent: number): TokenPrice {
  return {
    inputPicos: Math.ceil((row.microUsdPerMillionInputTokens * percent) / wholePercent),
    outputPicos: Math.ceil((row.microUsdPerMillionOutputTokens * percent) / wholePercent),
  };
}

/** Billing data of a standalone browser. Times are milliseconds since the Unix epoch. */
export interface BilledBrowser {
  readonly startedAtMs: number;
  /**
   * Time of the stop; null while the browser is active. A browser that never ran has its start time here, and costs
   * nothing.
   */
  readonly finishedAtMs: number | null;
  /** Length of one prepaid period in minutes, at least 1. */
  readonly periodMinutes: number;
  readonly proxyBytes: number;
}

/** Cost of a standalone browser at one moment, in micro-dollars. */
export interface BrowserBill {
  /** End of the current prepaid period; after a stop, the end of the period in which it was stopped. */
  readonly timeoutAtMs: number;
  /** Prepaid amount while the browser is active; after the stop, the cost of the time that was used. */
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

/**
 * Computes the bill of a standalone browser (decision 11; companion 10 M1, M2). Prepaid periods renew until the browser
 * is stopped. The periods follow from the start, stop and current times alone, without stored state or timers. A stop
 * refunds the difference between the bills before and after it.
 */
export function browserBill(pricing: RuleBook['pricing'], browser: BilledBrowser, nowMs: number): BrowserBill {
  const periods = startedPeriods(browser, browser.finishedAtMs ?? nowMs);
  const periodMs = browser.periodMinutes * msPerMinute;
  const usedMs = browser.finishedAtMs === null ? periods * periodMs : browser.finishedAtMs - browser.startedAtMs;
  const costs = priceMeters(pricing, {
    llmPicos: 0,
    proxyBytes: browser.proxyBytes,
    browserMs: usedMs,
  });
  return {
    timeoutAtMs: browser.startedAtMs + periods * periodMs,
    browserMicros: costs.browser,
    proxyMicros: costs.proxy,
  };
}

/** Returns the number of prepaid periods that have begun at a time, at least one. */
function startedPeriods({ startedAtMs, periodMinutes }: BilledBrowser, atMs: number): number {
  const elapsedMs = Math.max(atMs - startedAtMs, 0);
  return Math.floor(elapsedMs / (periodMinutes * msPerMinute)) + 1;
}
