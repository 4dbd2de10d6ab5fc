import { toDecimal, formatDecimal, parseDecimal, sumDecimals, timesDecimal } from '../core/decimal.ts';
import { type JsonValue, memberAt } from '../core/json.ts';
import type { ResourceKind } from '../core/ledger.ts';
import type { Target } from '../core/target.ts';

/** Estimated traffic of a browser of the suite in megabytes: a few small pages. */
const browserMegabytes = 5;

/**
 * Returns the maximum cost of one resource as a decimal string in US dollars. For a task, session or run it is the cost
 * ceiling. If the target accepts no ceiling, it is the price of a task in the target file, or the ceiling if this price
 * is unknown. For a browser it is the price of `hours` hours and of its estimated traffic. For profiles, workspaces and
 * a stateless target it is 0.
 */
export function costBound(target: Target, kind: ResourceKind, hours = 1): string {
  return target.stateless ? '0' : bounds[kind](target, hours);
}

/**
 * Returns the hours for which a new browser with this body is charged in advance: its `timeout` (in minutes), rounded
 * up to hours; 1 without a positive `timeout`.
 */
export function chargedHours(body: JsonValue | undefined): number {
  const minutes = memberAt(body, 'timeout');
  return typeof minutes === 'number' && minutes > 0 ? Math.ceil(minutes / 60) : 1;
}

const bounds: Readonly<Record<ResourceKind, (target: Target, hours: number) => string>> = {
  session: ({ prices, limits, v3 }) =>
    v3?.members.maxCostUsd === null ? (prices.taskV3 ?? limits.ceilingUsd) : limits.ceilingUsd,
  task: ({ prices, limits }) => prices.taskV2 ?? limits.ceilingUsd,
  run: ({ prices, limits, v4 }) => (v4?.maxCostUsd === null ? (prices.taskV4 ?? limits.ceilingUsd) : limits.ceilingUsd),
  browser: browserUsd,
  profile: () => '0',
  workspace: () => '0',
};

// A browser is charged for its time in advance, and the unused part is refunded at its end.
function browserUsd({ prices }: Target, hours: number): string {
  const traffic = timesDecimal(toDecimal(prices.proxyGigabyte ?? undefined), browserMegabytes);
  const megabytes = { value: traffic.value, scale: traffic.scale + 3 };
  return formatDecimal(sumDecimals([timesDecimal(toDecimal(prices.browserHour ?? undefined), hours), megabytes]));
}

/** Returns the maximum total cost of a session after a follow-up: its cost so far plus the maximum cost of one task. */
export function followUpCostBound(target: Target, spentUsd: string | undefined): string {
  const spent = parseDecimal(spentUsd ?? '0');
  const ceiling = toDecimal(costBound(target, 'session'));
  return formatDecimal(sumDecimals(spent === undefined ? [ceiling] : [spent, ceiling]));
}
