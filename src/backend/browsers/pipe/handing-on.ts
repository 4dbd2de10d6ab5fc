import type { CdpListener } from './cdp-client.ts';

/** The part of a listener that hands large replies to another one, where that takes them; whoever wraps a listener spreads it. */
export function handingOn(listener: CdpListener): Pick<CdpListener, 'large'> {
  return listener.large === undefined ? {} : { large: (text) => listener.large?.(text) };
}
