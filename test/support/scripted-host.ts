import { FakePages } from '#conformance/testing/fake-pages.ts';
import { isJsonObject } from '#lib/json.ts';
import type { BrowserHost, HostedBrowser } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import type { CdpClient, CdpListener } from '#browsers/pipe/cdp-client.ts';

/** Creates a simulated host whose pages a CDP client can open and use, without Chromium. */
export function createScriptedHost(): BrowserHost {
  const simulated = createSimulatedHost();
  return { ...simulated, launch: async (options) => scripted(await simulated.launch(options)) };
}

function scripted(browser: HostedBrowser): HostedBrowser {
  const pages = new FakePages();
  const listeners = new Set<CdpListener>();
  void browser.ended.then(({ detail }) => {
    for (const listener of listeners) listener.closed(detail);
    listeners.clear();
  });
  return {
    ...browser,
    attach: async (listener) => join(pages, listeners, { listener, simulated: await browser.attach(listener) }),
  };
}

interface Joining {
  readonly listener: CdpListener;
  /** DevTools client of the simulated browser. The simulated browser stores the cookies. */
  readonly simulated: CdpClient;
}

function join(pages: FakePages, listeners: Set<CdpListener>, { listener, simulated }: Joining): CdpClient {
  listeners.add(listener);
  pages.offerPage();
  return {
    send: (command) => {
      if (command.method?.startsWith('Storage.') === true) return simulated.send(command);
      const message: unknown = JSON.parse(JSON.stringify(command));
      if (isJsonObject(message) && listeners.has(listener)) listener.message(pages.reply(message));
    },
    ready: () => null,
    unanswered: () => 0,
    async close() {
      listeners.delete(listener);
      await simulated.close();
    },
  };
}
