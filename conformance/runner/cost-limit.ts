import { type Decimal, parseDecimal } from '../core/decimal.ts';
import type { RunSettings } from './settings.ts';

/** The cost limit of a run; undefined = unlimited. */
export function costLimit({ maxCostUsd }: Pick<RunSettings, 'maxCostUsd'>): Decimal | undefined {
  if (maxCostUsd === Number.POSITIVE_INFINITY) return undefined;
  return parseDecimal(typeof maxCostUsd === 'number' ? maxCostUsd.toFixed(9) : maxCostUsd);
}
