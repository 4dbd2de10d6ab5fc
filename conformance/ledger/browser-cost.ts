import { formatDecimal, parseDecimal, sumDecimals } from '../core/decimal.ts';
import { type JsonValue, memberAt } from '../core/json.ts';
import type { TargetBrowsers } from '../core/target.ts';

/** What a browser has cost by its record, decimal string in US dollars; undefined when the record shows no part of it. */
export function browserCost(json: JsonValue | undefined, { costs }: Pick<TargetBrowsers, 'costs'>): string | undefined {
  const shown = costs.flatMap((path) => {
    const part = memberAt(json, path);
    const amount = typeof part === 'string' ? parseDecimal(part) : undefined;
    return amount === undefined ? [] : [amount];
  });
  return shown.length === 0 ? undefined : formatDecimal(sumDecimals(shown));
}
