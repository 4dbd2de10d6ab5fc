import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { getLimit } from '#contract/rule-book.ts';
import { usdToMicros } from '#contract/money.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Caller } from './caller.ts';
import { defaultProxyCountry } from '#contract/screen.ts';
import type { GivenProxy } from './custom-proxy.ts';

const shownLength = 200;

/** Where a setting stands in the request, for the refusal. */
type Place = readonly [first: string, ...rest: string[]];

/** Refuses one side of a screen without the other; sizes are CSS pixels. */
export function checkScreen(
  size: { readonly width: number | null | undefined; readonly height: number | null | undefined },
  place: Place,
): Problem | null {
  const isNamed = (side: number | null | undefined): boolean => side !== undefined && side !== null;
  return isNamed(size.width) === isNamed(size.height) ? null : problem('screen_size_pair', {}, [...place]);
}

/**
 * Refuses a cost ceiling that is below the least one of its generation or that cannot be held in micro-dollars: V4 states that a ceiling is
 * above zero (companion 7.2), V3 states no bound, and a task with a ceiling of zero is stopped at its first step.
 */
export function checkCeiling(
  maxCostUsd: number | string | null | undefined,
  least: keyof typeof leastMicros,
): Problem | null {
  if (maxCostUsd === undefined || maxCostUsd === null) return null;
  const micros = isInRange(maxCostUsd, least) ? usdToMicros(maxCostUsd) : null;
  if (micros !== null && !Object.is(micros, -0) && micros >= leastMicros[least]) return null;
  const found = String(maxCostUsd).slice(0, shownLength);
  return problem('ceiling_out_of_range', { least, found }, ['body', 'maxCostUsd']);
}

/** The most that micro-dollars hold, in whole US dollars. */
const mostUsd = 9_007_199_254;

/** Whether a number is one that the documents take: rounding to micro-dollars brings none into their range. Text is judged by its micro-dollars. */
function isInRange(maxCostUsd: number | string, least: keyof typeof leastMicros): boolean {
  return typeof maxCostUsd === 'string' || (maxCostUsd >= Number(least) && maxCostUsd <= mostUsd);
}

const leastMicros = { '0': 0, '0.000001': 1 } as const;

/** Refuses an `outputSchema` that outputs cannot be judged by; absent and null are no schema, and cost no wait. */
export function checkSchema(outputSchema: unknown, caller: Caller): MaybePromise<Problem | null> {
  if (!isJsonObject(outputSchema)) return null;
  return schemaProblem(outputSchema, caller, (reason) =>
    problem('output_schema_invalid', { reason: reason.slice(0, shownLength) }, ['body', 'outputSchema']),
  );
}

/** The refusal of a schema of a request; `invalid` says in the words of its generation that the schema itself cannot be used. */
export async function schemaProblem(
  schema: JsonObject,
  caller: Caller,
  invalid: (reason: string) => Problem,
): Promise<Problem | null> {
  const refusal = await caller.checkSchema(schema);
  if (refusal === null) return null;
  const seconds = String(Math.ceil(getLimit(caller.rules, 'workerTime') / 1_000));
  if (refusal === 'closed') return problem('shutting_down', { seconds });
  if (refusal === 'busy')
    return problem('too_many_schemas', { waiting: String(getLimit(caller.rules, 'workerJobsWaiting')), seconds });
  return invalid(refusal.reason);
}

/** A cost ceiling in micro-dollars, null for none. */
export function ceilingOf(maxCostUsd: number | string | null | undefined): number | null {
  return maxCostUsd === undefined || maxCostUsd === null ? null : usdToMicros(maxCostUsd);
}

/** What a request says of its way out. */
interface Given {
  readonly proxyCountryCode?: string | null;
  readonly customProxy?: GivenProxy | null;
}

/**
 * Refuses a country from which no proxy of this service leaves, the default included, where the service was told to (decision 18); a
 * custom proxy takes the place of every country. `place` leads to the member in the body.
 */
export function checkCountry(given: Given, { countries }: Caller, place: readonly string[] = []): Problem | null {
  const { proxyCountryCode: country = defaultProxyCountry, customProxy = null } = given;
  if (countries === null || country === null || customProxy !== null || countries.has(country)) return null;
  const values = { country, countries: countries.size === 0 ? 'none' : [...countries].toSorted().join(', ') };
  return problem('country_without_proxy', values, ['body', ...place, 'proxyCountryCode']);
}
