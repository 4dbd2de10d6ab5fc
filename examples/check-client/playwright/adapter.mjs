// An adapter for `svc check-client`: Playwright drives the browser; the client of the fetch adapter does the rest.
import { withBrowser } from '../fetch/browser.mjs';
import { createClient } from '../fetch/client.mjs';

const { SERVICE_API_URL: address, SERVICE_API_KEY: key, SVC_SCENARIO, SVC_INPUT } = process.env;
const input = JSON.parse(SVC_INPUT);

/** Asks the browser for its version `rounds` times, one request after the other. Rejects if the connection is lost. */
async function askVersion(cdpUrl) {
  // Only the scenario `browser` needs Playwright.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.connectOverCDP(cdpUrl, { timeout: input.timeoutMs });
  try {
    let product = '';
    for (let round = 0; round < input.rounds; round += 1) {
      const session = await browser.newBrowserCDPSession();
      ({ product } = await session.send('Browser.getVersion'));
      await session.detach();
    }
    return { product };
  } finally {
    await browser.close();
  }
}

if (SVC_SCENARIO === 'browser') {
  const client = createClient({ address, key, ...input });
  console.log(JSON.stringify(await withBrowser(client, input.create, askVersion)));
} else {
  await import('../fetch/adapter.mjs');
}
