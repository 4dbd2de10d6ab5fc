import { chromium } from 'playwright-core';

/** Starts a cloud browser, drives it with Playwright, and stops it. A browser costs until it is stopped. */
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
  // `close` only disconnects from the browser, which runs, and costs, until it is stopped.
  await browser.close();
} finally {
  const stopped = await fetch(`${base}/browsers/${id}`, { method: 'PATCH', headers, body: '{"action":"stop"}' });
  console.log(JSON.parse(await stopped.text()).status);
}
