import { type Page, chromium } from 'playwright-core';
import type { Connect, Driver } from './driver.ts';

/** Connects Playwright, which requests `/json/version` below an address that starts with http. */
export const connectPlaywright: Connect = async (cdpUrl, startsWith = '') => {
  const browser = await chromium.connectOverCDP(cdpUrl.replace(/^ws/, 'http'));
  const context = browser.contexts()[0];
  const first = context?.pages().find((page) => page.url().startsWith(startsWith));
  if (context === undefined || first === undefined) throw new Error(`found no page at ${startsWith}`);
  let page: Page = first;
  const driver: Driver = {
    open: async (url) => void (await page.goto(url)),
    title: () => page.title(),
    url: async () => page.url(),
    click: (selector) => page.click(selector),
    type: (selector, text) => page.locator(selector).pressSequentially(text),
    select: async (selector, value) => void (await page.selectOption(selector, value)),
    async answerPrompt(selector, text) {
      page.once('dialog', (dialog) => void dialog.accept(text));
      await page.click(selector);
    },
    async clickInFrame(frame, selector, shown) {
      const inner = page.frameLocator(frame);
      await inner.locator(selector).click();
      return inner.locator(shown).innerText();
    },
    // Playwright's CSS selectors pierce open shadow roots.
    clickInShadow: (host, selector) => page.click(`${host} ${selector}`),
    upload: (selector, path) => page.setInputFiles(selector, path),
    waitForText: (selector, text) => page.locator(selector, { hasText: text }).waitFor(),
    hover: (selector) => page.hover(selector),
    press: (selector, key) => page.press(selector, key),
    scrollTo: (selector) => page.locator(selector).scrollIntoViewIfNeeded(),
    setCookie: (cookie) => context.addCookies([cookie]),
    cookie: async (name) => (await context.cookies(page.url())).find((cookie) => cookie.name === name)?.value,
    evaluate: (expression) => page.evaluate(expression),
    screenshot: () => page.screenshot(),
    print: () => page.pdf(),
    back: async () => void (await page.goBack()),
    async newTab(url) {
      page = await context.newPage();
      await page.goto(url);
    },
    async closeTab() {
      await page.close();
      page = first;
    },
    leave: () => browser.close(),
  };
  return driver;
};
