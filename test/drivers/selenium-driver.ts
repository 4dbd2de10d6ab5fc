import { Builder, By, Key, Select, type WebDriver, type WebElementPromise, until } from 'selenium-webdriver';
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js';
import type { Connect, Driver } from './driver.ts';

/** Timeout for an element or a text, in milliseconds. */
const waitMs = 20_000;

/** Connects Selenium with the chromedriver at a path; the address is the `host:port` of a tunnel. */
export function connectSelenium(chromedriver: string): Connect {
  return async (address, startsWith = '') => {
    const options = new Options().debuggerAddress(address);
    const service = new ServiceBuilder(chromedriver);
    const browser = await new Builder()
      .forBrowser('chrome')
      .setChromeOptions(options)
      .setChromeService(service)
      .build();
    const first = await windowAt(browser, startsWith);
    const find = (selector: string): WebElementPromise => browser.wait(until.elementLocated(By.css(selector)), waitMs);
    const driver: Driver = {
      open: (url) => browser.get(url),
      title: () => browser.getTitle(),
      url: () => browser.getCurrentUrl(),
      click: (selector) => find(selector).click(),
      type: (selector, text) => find(selector).sendKeys(text),
      select: async (selector, value) => new Select(await find(selector)).selectByValue(value),
      async answerPrompt(selector, text) {
        await find(selector).click();
        const dialog = await browser.wait(until.alertIsPresent(), waitMs);
        await dialog.sendKeys(text);
        await dialog.accept();
      },
      async clickInFrame(frame, selector, shown) {
        await browser.switchTo().frame(await find(frame));
        await find(selector).click();
        const text = await find(shown).getText();
        await browser.switchTo().defaultContent();
        return text;
      },
      async clickInShadow(host, selector) {
        const root = await find(host).getShadowRoot();
        await (await root.findElement(By.css(selector))).click();
      },
      upload: (selector, path) => find(selector).sendKeys(path),
      waitForText: async (selector, text) =>
        void (await browser.wait(until.elementTextContains(await find(selector), text), waitMs)),
      hover: async (selector) =>
        browser
          .actions()
          .move({ origin: await find(selector) })
          .perform(),
      press: (selector, key) => find(selector).sendKeys(key === 'Enter' ? Key.ENTER : key),
      scrollTo: async (selector) =>
        browser
          .actions()
          .scroll(0, 0, 0, 0, await find(selector))
          .perform(),
      setCookie: ({ url: _url, ...cookie }) => browser.manage().addCookie(cookie),
      cookie: async (name) => (await browser.manage().getCookie(name))?.value,
      evaluate: (expression) => browser.executeScript(`return (${expression});`),
      screenshot: async () => Buffer.from(await browser.takeScreenshot(), 'base64'),
      print: async () => Buffer.from(await browser.printPage({}), 'base64'),
      back: () => browser.navigate().back(),
      async newTab(url) {
        await browser.switchTo().newWindow('tab');
        await browser.get(url);
      },
      async closeTab() {
        await browser.close();
        await browser.switchTo().window(first);
      },
      leave: () => browser.quit(),
    };
    return driver;
  };
}

/**
 * Switches to the first window whose URL begins with `startsWith`, and returns its handle. Throws without such a
 * window.
 */
async function windowAt(browser: WebDriver, startsWith: string): Promise<string> {
  for (const handle of await browser.getAllWindowHandles()) {
    await browser.switchTo().window(handle);
    if ((await browser.getCurrentUrl()).startsWith(startsWith)) return handle;
  }
  throw new Error(`found no page at ${startsWith}`);
}
