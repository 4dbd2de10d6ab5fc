import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Done = Parameters<LookupFunction>[2];

/**
 * A `dns.lookup` that knows only the addresses that were judged. Resolving again at connect time would let a name
 * change its address between the judgement and the connection (DNS rebinding).
 */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname: string, options: LookupOptions, done: Done): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
}
