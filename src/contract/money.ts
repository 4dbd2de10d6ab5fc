import type { RuleBook } from './rule-book.ts';
import { withoutEnd } from '#lib/without-end.ts';

/** What a session has consumed; all integers of at least 0. */
export interface Meters {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What those tokens cost, in pico-dollars (1 USD = 10^12): each is booked at the price of the model that it went to. */
  readonly llmPicos: number;
  readonly proxyBytes: number;
  /** Time that browsers ran, in milliseconds. */
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

/** Prices meters: each part is computed from its meters with one rounding up to whole micro-dollars (design section 8). */
export function costsOf(
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

/** Started minutes, at least the minimum as soon as a browser ran at all (companion 10 M2). */
function billedMinutes(pricing: Pick<RuleBook['pricing'], 'browser'>, browserMs: number): number {
  if (browserMs <= 0) return 0;
  return Math.max(pricing.browser.minimumMinutes, Math.ceil(browserMs / msPerMinute));
}

/** Renders micro-dollars as a decimal string without trailing zeros: 1500 -> "0.0015", 0 -> "0". */
export function microsToDecimal(micros: number): string {
  if (micros === 0) return '0';
  const whole = Math.trunc(micros / 1_000_000);
  const fraction = withoutEnd(String(Math.abs(micros % 1_000_000)).padStart(6, '0'), /0/);
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}

/** Renders bytes as megabytes (1,000,000 bytes) with at most six digits after the point, which is exact. */
export function bytesToMegabytes(bytes: number): string {
  return microsToDecimal(bytes);
}

/**
 * Reads an amount in US dollars, as JSON number or decimal string, into micro-dollars, rounded down.
 * Answers null for text that is no amount or is not finite.
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
