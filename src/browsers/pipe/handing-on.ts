import type { CdpListener } from './cdp-client.ts';

/** The part of a listener that takes messages unread, where it does; whoever wraps a listener and looks at no such message spreads it. */
export function handingOn({ unread }: CdpListener): Pick<CdpListener, 'unread'> {
  return unread === undefined ? {} : { unread };
}
