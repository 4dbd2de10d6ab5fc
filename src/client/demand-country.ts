import { ClientFault } from './client-fault.ts';

/** Throws ClientFault for browserSettings without a country: a client library has to demand it (contract 9 Versioning 7). */
export function demandCountry(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('browserSettings' in body)) return;
  const { browserSettings } = body;
  if (typeof browserSettings !== 'object' || browserSettings === null) return;
  if ('proxyCountryCode' in browserSettings && browserSettings.proxyCountryCode !== undefined) return;
  throw new ClientFault(
    "found browserSettings without proxyCountryCode, expected one: 'us' keeps the default, null disables the managed proxy",
  );
}
