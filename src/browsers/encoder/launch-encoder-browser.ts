import { randomUUID } from 'node:crypto';
import type { LocalBrowserSetup } from '../fresh-chromium.ts';
import { browserFolder } from '../launch/browser-folder.ts';
import { loadPlaywright } from '../launch/load-playwright.ts';
import { launchLocalBrowser } from '../local-browser.ts';
import { createPlaywrightTransport } from '../pipe/playwright-transport.ts';
import type { EncoderBrowser } from './encoder-pool.ts';

/** Reserved URL of the empty page for encoders. It is HTTPS, because encoders require a secure context. */
const address = 'https://encoder.invalid/';

/**
 * Starts a Chromium that only encodes videos. It has the same user, sandbox and clean-up as other browsers of the host.
 * It belongs to no session and accepts no external client. All its network requests are answered locally.
 */
export async function launchEncoderBrowser(setup: LocalBrowserSetup): Promise<EncoderBrowser> {
  const sessionId = `encoder-${randomUUID()}`;
  const browser = await launchLocalBrowser(setup, {
    sessionId,
    screen: { width: 320, height: 320 },
    proxyCountryCode: null,
  });
  try {
    const transport = await createPlaywrightTransport(browser.mux, (error) =>
      setup.log.warn({ err: error }, 'the encoder could not detach'),
    );
    // Playwright's files lie in the folder of the browser, which the next start of a killed service removes.
    const { downloads } = browserFolder(setup.directory, sessionId);
    const client = await (await loadPlaywright()).connectOverCDP(transport, { artifactsDir: downloads });
    return {
      ended: browser.ended,
      async openPage() {
        const context = await client.newContext({ viewport: null });
        await context.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
        const page = await context.newPage();
        await page.goto(address);
        return page;
      },
      stop: () => browser.stop(),
    };
  } catch (error) {
    await browser.stop();
    throw error;
  }
}
