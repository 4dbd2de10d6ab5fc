import { chromium } from 'playwright-core';

/** Starts a cloud browser, works in it with Playwright, and stops it: that ends what it costs. */
const base = `${process.env['SERVICE_URL']}/api/v4`;
const headers = { 'X-Service-API-Key': process.env['SERVICE_API_KEY'] ?? '', 'Content-Type': 'application/json' };

const made = await fetch(`${base}/browsers`, { method: 'POST', headers, body: '{"proxyCountryCode":"us"}' });
if (!made.ok) throw new Error(`${made.status} ${await made.text()}`);
const { id, cdpUrl } = JSON.parse(await made.text());
try {
  const browser = await chromium.connectOverCDP(cdpUrl);
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = context.pages()[0] ?? (await context.newPage());
  await page.setContent('<title>Driven</title><button onclick="this.textContent = `clicked`">Click me</button>');
  await page.getByRole('button').click();
  console.log(await page.title(), await page.getByRole('button').textContent());
  // Closing only lets go of the browser: it goes on, and costs, until it is stopped.
  await browser.close();
} finally {
  const stopped = await fetch(`${base}/browsers/${id}`, { method: 'PATCH', headers, body: '{"action":"stop"}' });
  console.log(JSON.parse(await stopped.text()).status);
}
