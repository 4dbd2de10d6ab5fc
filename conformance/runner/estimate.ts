import type { Estimate } from '../core/report.ts';
import { costBound } from '../ledger/cost-bound.ts';
import { type Decimal, compareDecimals, toDecimal, formatDecimal, sumDecimals, timesDecimal } from '../core/decimal.ts';
import type { AnyScenario } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';
import { costLimit, type RunSettings } from './settings.ts';

/** Input of {@link estimateRun}. */
export interface EstimateInput {
  settings: RunSettings;
  scenarios: readonly AnyScenario[];
  dispatches: number;
}

/** Estimates the tasks, browsers and costs of a run from its plan. All costs are 0 for a stateless target. */
export function estimateRun({ settings, scenarios, dispatches }: EstimateInput): Estimate {
  const { target } = settings;
  const browsers = scenarios.reduce(
    (sum, item) => sum + (item.browsers?.(settings.matrix) ?? (item.spend === 'browser' ? 1 : 0)),
    0,
  );
  const limit = costLimit(settings);
  const furtherHours = scenarios.reduce((sum, item) => sum + (item.furtherHours ?? 0), 0);
  const most = atMost(target, { dispatches, browsers, furtherHours });
  const capped = limit !== undefined && compareDecimals(limit, most) < 0 ? limit : most;
  return {
    dispatches,
    browsers,
    browserMinutes: browsers,
    storage: scenarios.some(({ spend }) => spend === 'storage'),
    expectedUsd: expected(target, { dispatches, browsers }),
    atMostUsd: formatDecimal(capped),
    limitUsd: limit === undefined ? null : formatDecimal(limit),
    notes: createNotes(target, { dispatches, browsers }),
  };
}

interface Counts {
  dispatches: number;
  browsers: number;
}

// The number of tasks does not show their generations, so each task counts at the highest price.
function atMost(target: Target, { dispatches, browsers, furtherHours }: Counts & { furtherHours: number }): Decimal {
  const bounds = (['session', 'task', 'run'] as const).map((kind) => toDecimal(costBound(target, kind)));
  return sumDecimals([
    timesDecimal(largest(bounds), dispatches),
    timesDecimal(toDecimal(costBound(target, 'browser')), browsers),
    timesDecimal(toDecimal(target.stateless ? undefined : (target.prices.browserHour ?? undefined)), furtherHours),
  ]);
}

function expected(target: Target, { dispatches, browsers }: Counts): string | null {
  if (target.stateless) return '0';
  const { taskV2, taskV3, taskV4, browserHour } = target.prices;
  const used = [target.v2 && taskV2, target.v3 && taskV3, target.v4 && taskV4].filter(
    (price) => typeof price === 'string',
  );
  const offered = [target.v2, target.v3, target.v4].filter((generation) => generation !== null);
  if (dispatches > 0 && used.length < offered.length) return null;
  if (browsers > 0 && browserHour === null) return null;
  const hour = timesDecimal(toDecimal(browserHour ?? undefined), browsers);
  // One minute of every browser: a sixtieth of the price of an hour, rounded up to micro-dollars.
  const minutes = {
    value: (hour.value * 10n ** BigInt(Math.max(0, 6 - hour.scale)) + 59n) / 60n,
    scale: Math.max(6, hour.scale),
  };
  return formatDecimal(sumDecimals([timesDecimal(largest(used.map(toDecimal)), dispatches), minutes]));
}

function largest(decimals: readonly Decimal[]): Decimal {
  return decimals.reduce((top, next) => (compareDecimals(top, next) < 0 ? next : top), toDecimal('0'));
}

function createNotes(target: Target, { dispatches, browsers }: Counts): string[] {
  if (target.stateless) return [];
  const { prices, limits, v2, v3, v4 } = target;
  const unknown =
    prices.taskV2 === null ? ` and counts as ${limits.ceilingUsd} (prices.taskV2 of the target file is null)` : '';
  const notes: [boolean, string][] = [
    [dispatches > 0 && v2 !== null, `a V2 task takes no ceiling${unknown}`],
    [
      dispatches > 0 && v3 !== null && v3.members.maxCostUsd === null,
      'V3 sessions are sent no ceiling (v3.members.maxCostUsd)',
    ],
    [dispatches > 0 && v4 !== null && v4.maxCostUsd === null, 'V4 runs are sent no ceiling (v4.maxCostUsd)'],
    [browsers > 0 && prices.browserHour === null, 'what a browser costs is unknown (prices.browserHour)'],
  ];
  return notes.flatMap(([holds, note]) => (holds ? [note] : []));
}
