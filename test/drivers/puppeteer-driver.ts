import { type Page, connect } from 'puppeteer-core';
import type { Connect, Driver } from './driver.ts';

/** Connects Puppeteer with the URL that the discovery endpoint returns. */
export const connectPuppeteer: Connect = async (cdpUrl, startsWith = '') => {
  const found: unknown = await (await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/version`)).json();
  const { webSocketDebuggerUrl } = found as { webSocketDebuggerUrl: string };
  const browser = await connect({ browserWSEndpoint: webSocketDebuggerUrl, defaultViewport: null });
  const first = (await browser.pages()).find((page) => page.url().startsWith(startsWith));
  if (first === undefined) throw new Error(`found no page at ${startsWith}`);
  let page: Page = first;
  const driver: Driver = {
    open: async (url) => void (await page.goto(url)),
    title: () => page.title(),
    url: async () => page.url(),
    click: (selector) => page.click(selector),
    type: (selector, text) => page.type(selector, text),
    select: async (selector, value) => void (await page.select(selector, value)),
    async answerPrompt(selector, text) {
      page.once('dialog', (dialog) => void dialog.accept(text));
      await page.click(selector);
    },
    async clickInFrame(frame, selector, shown) {
      const element = await page.waitForSelector(frame);
      const inner = await element?.contentFrame();
      await inner?.locator(selector).click();
      return String(await inner?.$eval(shown, ({ textContent }) => textContent));
    },
    clickInShadow: (host, selector) => page.locator(`${host} >>> ${selector}`).click(),
    async upload(selector, path) {
      const input = await page.waitForSelector(selector);
      await (await input?.toElement('input'))?.uploadFile(path);
    },
    async waitForText(selector, text) {
      const shows = `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`;
      await page.waitForFunction(shows);
    },
    hover: (selector) => page.hover(selector),
    async press(selector, key) {
      await page.focus(selector);
      await page.keyboard.press(key);
    },
    scrollTo: async (selector) => void (await page.$eval(selector, (element) => element.scrollIntoView())),
    setCookie: ({ url, ...cookie }) => browser.setCookie({ ...cookie, domain: new URL(url).hostname, path: '/' }),
    cookie: async (name) => (await browser.cookies()).find((cookie) => cookie.name === name)?.value,
    evaluate: (expression) => page.evaluate(expression),
    screenshot: async () => Buffer.from(await page.screenshot()),
    print: async () => Buffer.from(await page.pdf()),
    back: async () => void (await page.goBack()),
    async newTab(url) {
      page = await browser.newPage();
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
