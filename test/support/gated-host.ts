import type { BrowserHost, HostedBrowser } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';

/** A simulated host. A test can delay its launches and screenshots. */
export interface GatedHost extends BrowserHost {
  /** Ids of the sessions whose browser was launched and has not ended. */
  readonly alive: Set<string>;
  /** Delays all later launches until the returned function is called. */
  holdLaunches(): () => void;
  holdScreenshots(): () => void;
}

/** Creates a host that does not delay any launch yet. */
export function createGatedHost(): GatedHost {
  const host = createSimulatedHost();
  const alive = new Set<string>();
  let launches = Promise.resolve();
  let screenshots = Promise.resolve();
  const guard = (browser: HostedBrowser): HostedBrowser => {
    alive.add(browser.sessionId);
    void browser.ended.then(() => alive.delete(browser.sessionId));
    return {
      ...browser,
      screenshot: async () => {
        await screenshots;
        return browser.screenshot();
      },
    };
  };
  return {
    kind: 'simulated',
    alive,
    async launch(options) {
      await launches;
      return guard(await host.launch(options));
    },
    figures: () => host.figures(),
    rescue: (readProfile) => host.rescue(readProfile),
    openEncoder: (size) => host.openEncoder(size),
    close: () => host.close(),
    holdLaunches() {
      const { promise, resolve } = Promise.withResolvers<void>();
      launches = promise;
      return resolve;
    },
    holdScreenshots() {
      const { promise, resolve } = Promise.withResolvers<void>();
      screenshots = promise;
      return resolve;
    },
  };
}
