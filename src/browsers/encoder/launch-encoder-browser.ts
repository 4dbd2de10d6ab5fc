import { randomUUID } from 'node:crypto';
import type { LocalBrowserSetup } from '../fresh-chromium.ts';
import { loadPlaywright } from '../launch/load-playwright.ts';
import { launchLocalBrowser } from '../local-browser.ts';
import { createPlaywrightTransport } from '../pipe/playwright-transport.ts';
import type { EncoderBrowser } from './encoder-pool.ts';

/** An address that exists nowhere, and is secure as encoders demand. Its one page is empty. */
const ADDRESS = 'https://encoder.invalid/';

/**
 * Starts a Chromium that is one of the host's in every respect (its user, its folder, its sandbox, what is swept after a crash), that
 * no session owns and no client can join. Its pages ask for nothing: whatever they would, is answered here.
 */
export async function launchEncoderBrowser(setup: LocalBrowserSetup): Promise<EncoderBrowser> {
  const browser = await launchLocalBrowser(setup, {
    sessionId: `encoder-${randomUUID()}`,
    screen: { width: 320, height: 320 },
    proxyCountryCode: null,
  });
  try {
    const transport = await createPlaywrightTransport(browser.mux, (error) =>
      setup.log.warn({ err: error }, 'the encoder could not detach'),
    );
    const client = await (await loadPlaywright()).connectOverCDP(transport);
    return {
      ended: browser.ended,
      async openPage() {
        const context = await client.newContext({ viewport: null });
        await context.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
        const page = await context.newPage();
        await page.goto(ADDRESS);
        return page;
      },
      stop: () => browser.stop(),
    };
  } catch (error) {
    await browser.stop();
    throw error;
  }
}
