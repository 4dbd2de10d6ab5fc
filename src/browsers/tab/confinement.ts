import type { BrowserContext, Page } from 'playwright-core';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { RunStep } from './as-tab-error.ts';
import { type MayShow, type PageGuard, attachPageGuard } from './page-guard.ts';

/** Keeps the pages of a browser where they may be. */
export interface Confinement {
  /** From now on pages go only where the rule allows, null for everywhere; settles when that holds for every page. */
  set(mayShow: MayShow | null): Promise<void>;
  /** Whether the rule of the moment allows an address. */
  allows(address: string): boolean;
  /** Notes from now on whether a page is kept from leaving, until it is told to stop. */
  watch(): RefusalWatch;
}

/** What happened to pages while somebody looked. */
export interface RefusalWatch {
  /** Settles when a page is kept from leaving. */
  readonly refused: Promise<void>;
  /** The address that a page was last kept from, or null. */
  address(): string | null;
  stop(): void;
}

/** A browser whose pages may go everywhere, until a rule is set. */
export function createConfinement(mux: CdpMux): Confinement {
  const watches = new Set<(address: string) => void>();
  const onRefused = (address: string): void => watches.forEach((tell) => tell(address));
  let guard: PageGuard | null = null;
  let rule: MayShow | null = null;
  return {
    allows: (address) => rule === null || rule(address),
    async set(mayShow) {
      rule = mayShow;
      if (mayShow === null) {
        await guard?.close();
        guard = null;
      } else if (guard === null) guard = await attachPageGuard(mux, { mayShow, onRefused });
      else guard.follow(mayShow);
    },
    watch() {
      const { promise: refused, resolve } = Promise.withResolvers<void>();
      let last: string | null = null;
      const tell = (address: string): void => {
        last = address;
        resolve();
      };
      watches.add(tell);
      return { refused, address: () => last, stop: () => void watches.delete(tell) };
    },
  };
}

/** Leaves every page that is where it may not be; settles when none is. */
export async function leaveForbiddenPages(
  context: BrowserContext,
  { mayShow, runStep }: { readonly mayShow: MayShow; readonly runStep: RunStep },
): Promise<void> {
  const forbidden = context.pages().filter((page) => !mayShow(page.url()));
  const leave = (page: Page): Promise<unknown> =>
    runStep('Could not leave the page', (signal) => page.goto('about:blank', { signal }));
  await Promise.all(forbidden.map(leave));
}
