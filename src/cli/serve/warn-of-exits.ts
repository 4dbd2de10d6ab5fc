import type { ExitOptions } from '#browsers/index.ts';
import { defaultProxyCountry } from '#contract/screen.ts';

/** Where a warning goes. */
interface Log {
  warn(fields: object, message: string): void;
}

/** Says once, at the start, which countries are not what they seem; nothing where every one has an exit of its own. */
export function warnOfExits({ countries: { countries }, proxies, required }: ExitOptions, log: Log): void {
  const without = countries.map(({ code }) => code).filter((code) => !proxies.has(code));
  if (without.length === 0) return;
  if (!required)
    log.warn(
      { countries: without.length, of: countries.length },
      'browsers of countries without a proxy leave by the network of this machine: name proxies with --proxies, or refuse such countries with --require-proxy',
    );
  else if (without.includes(defaultProxyCountry))
    log.warn(
      { country: defaultProxyCountry },
      'no proxy leaves from the country of requests that name none: they are refused',
    );
}
