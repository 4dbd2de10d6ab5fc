import { type Problem, problem } from '#contract/problems.ts';
import type { Caller } from './caller.ts';
import { defaultProxyCountry } from '#contract/defaults.ts';
import type { GivenProxy } from './custom-proxy.ts';

/** What a request says of its way out. */
interface Given {
  readonly proxyCountryCode?: string | null;
  readonly customProxy?: GivenProxy | null;
}

/**
 * Refuses a country from which no proxy of this service leaves, the default included, where the service was told to (decision 28); a
 * custom proxy takes the place of every country. `place` leads to the member in the body.
 */
export function checkCountry(given: Given, { countries }: Caller, place: readonly string[] = []): Problem | null {
  const { proxyCountryCode: country = defaultProxyCountry, customProxy = null } = given;
  if (countries === null || country === null || customProxy !== null || countries.has(country)) return null;
  const values = { country, countries: countries.size === 0 ? 'none' : [...countries].toSorted().join(', ') };
  return problem('country_without_proxy', values, ['body', ...place, 'proxyCountryCode']);
}
