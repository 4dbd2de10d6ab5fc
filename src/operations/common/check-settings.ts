import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { getLimit } from '#contract/rule-book.ts';
import { isCallable, modelRoute, modelRow, type Version } from '#contract/models.ts';
import { usdToMicros } from '#contract/money.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { RequestContext } from './request-context.ts';
import { defaultProxyCountry } from '#contract/screen.ts';
import type { GivenProxy } from './custom-proxy.ts';

const shownLength = 200;

/** Path of a member in the body, for a refusal. */
type Place = readonly [first: string, ...rest: string[]];

/** Returns the refusal of a screen size that has a width or a height but not both; else null. */
export function checkScreen(
  size: { readonly width: number | null | undefined; readonly height: number | null | undefined },
  place: Place,
): Problem | null {
  const isNamed = (side: number | null | undefined): boolean => side !== undefined && side !== null;
  return isNamed(size.width) === isNamed(size.height) ? null : problem('screen_size_pair', {}, [...place]);
}

/**
 * Returns the refusal of a cost limit below the minimum of its API version or above the range of micro-dollars; else
 * null. V4 requires a limit above zero (companion 7.2). V3 also accepts zero: a task with the limit zero stops at its
 * first step.
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

/** Largest cost limit in whole US dollars that is a safe integer in micro-dollars. */
const mostUsd = 9_007_199_254;

/**
 * Returns whether a number of dollars is in the documented range, before it is rounded to micro-dollars. Returns true
 * for every text, because the caller compares the converted amount.
 */
function isInRange(maxCostUsd: number | string, least: keyof typeof leastMicros): boolean {
  return typeof maxCostUsd === 'string' || (maxCostUsd >= Number(least) && maxCostUsd <= mostUsd);
}

const leastMicros = { '0': 0, '0.000001': 1 } as const;

/**
 * Returns the refusal of an `outputSchema` that cannot be used to check outputs; null for a usable schema. Returns null
 * synchronously if the request has no schema.
 */
export function checkSchema(outputSchema: unknown, context: RequestContext): MaybePromise<Problem | null> {
  if (!isJsonObject(outputSchema)) return null;
  return schemaProblem(outputSchema, context, (reason) =>
    problem('output_schema_invalid', { reason: reason.slice(0, shownLength) }, ['body', 'outputSchema']),
  );
}

/**
 * Returns the refusal of an unusable schema; else null. `invalid` creates the problem of an invalid schema with the
 * message of the API version. Also refuses while too many schemas wait to be checked, and during shutdown.
 */
export async function schemaProblem(
  schema: JsonObject,
  context: RequestContext,
  invalid: (reason: string) => Problem,
): Promise<Problem | null> {
  const refusal = await context.checkSchema(schema);
  if (refusal === null) return null;
  const seconds = String(Math.ceil(getLimit(context.rules, 'workerTime') / 1_000));
  if (refusal === 'closed') return problem('shutting_down', { seconds });
  if (refusal === 'busy')
    return problem('too_many_schemas', { waiting: String(getLimit(context.rules, 'workerJobsWaiting')), seconds });
  return invalid(refusal.reason);
}

/** Returns a cost ceiling in micro-dollars, null without one. */
export function readCeiling(maxCostUsd: number | string | null | undefined): number | null {
  return maxCostUsd === undefined || maxCostUsd === null ? null : usdToMicros(maxCostUsd);
}

/** The proxy settings of a request. */
interface Given {
  readonly proxyCountryCode?: string | null;
  readonly customProxy?: GivenProxy | null;
}

/**
 * Returns the refusal of a country for which the service has no proxy, if the service restricts countries (decision
 * 18); else null. An absent country counts as the default country. Returns null for the country null, and for a request
 * with a custom proxy, which makes the country irrelevant. `place` is the path of the settings in the body.
 */
export function checkCountry(
  given: Given,
  { countries }: RequestContext,
  place: readonly string[] = [],
): Problem | null {
  const { proxyCountryCode: country = defaultProxyCountry, customProxy = null } = given;
  if (countries === null || country === null || customProxy !== null || countries.has(country)) return null;
  const values = { country, countries: countries.size === 0 ? 'none' : [...countries].toSorted().join(', ') };
  return problem('country_without_proxy', values, ['body', ...place, 'proxyCountryCode']);
}

/** Model of a request, and the member of the body that names the model. */
interface WantedModel {
  readonly model: string;
  readonly member: string;
}

/**
 * Returns the refusal of a model that the service cannot call at a provider, if the service requires a provider for
 * every model (decision 34); else null. In V4, a stored key of the project for the provider suffices.
 */
export async function checkProvider({ model, member }: WantedModel, context: RequestContext): Promise<Problem | null> {
  const { rules, modelRoutes, scope } = context;
  const version = scope.generation;
  if (!context.requiresProvider || isCallable(rules, { version, model }, modelRoutes)) return null;
  if (version === 'v4' && (await context.hasProviderKey(modelRow(rules, version, model)?.provider ?? ''))) return null;
  return problem(providerProblems[version], providerValues(model, context), ['body', member]);
}

const providerProblems = {
  v2: 'model_without_provider',
  v3: 'model_without_route',
  v4: 'model_without_any_key',
} as const satisfies Record<Version, string>;

function providerValues(
  model: string,
  { rules, modelRoutes, scope }: RequestContext,
): { readonly model: string; readonly provider: string; readonly providers: string } {
  const provider = modelRoute(rules, scope.generation, model)?.provider ?? 'unknown';
  const providers = modelRoutes.size === 0 ? 'none' : [...modelRoutes.keys()].toSorted().join(', ');
  return { model, provider, providers };
}

/**
 * Returns the country that responses show: the requested country, or null if the service has no proxy exit in that
 * country (contract section 2, Session).
 */
export function usedCountry(requested: string | null, { exitCountries }: RequestContext): string | null {
  return requested === null || exitCountries === null || exitCountries.has(requested) ? requested : null;
}
