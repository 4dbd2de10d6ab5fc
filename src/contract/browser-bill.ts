import { costsOf } from './money.ts';
import type { RuleBook } from './rule-book.ts';

/** A standalone browser as far as time and money go. Times are milliseconds since the Unix epoch. */
export interface BilledBrowser {
  readonly startedAtMs: number;
  /** When it was stopped, later than its start; null while it is active. Equal to the start: it never ran and costs nothing. */
  readonly finishedAtMs: number | null;
  /** Length of one prepaid period in minutes, at least 1. */
  readonly periodMinutes: number;
  readonly proxyBytes: number;
}

/** What a standalone browser costs at one moment, in micro-dollars. */
export interface BrowserBill {
  /** End of the prepaid period that runs now; after stop, of the period that it was stopped in. */
  readonly timeoutAtMs: number;
  /** While it is active what is prepaid, after stop what was used. */
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

const msPerMinute = 60_000;

/**
 * The bill of a standalone browser (decision 11; companion 10 M1, M2). The period renews until the browser is stopped; nothing is
 * stored and no timer runs, because everything follows from the two times. The refund is the difference of the two costs.
 */
export function billOf(pricing: RuleBook['pricing'], browser: BilledBrowser, nowMs: number): BrowserBill {
  const periods = startedPeriods(browser, browser.finishedAtMs ?? nowMs);
  const periodMs = browser.periodMinutes * msPerMinute;
  const usedMs = browser.finishedAtMs === null ? periods * periodMs : browser.finishedAtMs - browser.startedAtMs;
  const costs = costsOf(pricing, {
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

/** How many periods have begun at a moment, at least one: their end is the first that lies in the future. */
function startedPeriods({ startedAtMs, periodMinutes }: BilledBrowser, atMs: number): number {
  const elapsedMs = Math.max(atMs - startedAtMs, 0);
  return Math.floor(elapsedMs / (periodMinutes * msPerMinute)) + 1;
}
