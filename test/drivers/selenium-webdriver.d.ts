/**
 * Types of the parts that the script uses. The library has no types, and the published types describe an older release.
 */
declare module 'selenium-webdriver' {
  export interface Locator {
    readonly using: string;
  }
  export interface Condition {
    readonly fn: unknown;
  }
  export interface WebElement {
    click(): Promise<void>;
    sendKeys(...keys: string[]): Promise<void>;
    getText(): Promise<string>;
    getShadowRoot(): Promise<{ findElement(by: Locator): Promise<WebElement> }>;
  }
  export interface WebElementPromise extends WebElement, PromiseLike<WebElement> {}
  export interface Alert {
    sendKeys(text: string): Promise<void>;
    accept(): Promise<void>;
  }
  export interface Actions {
    move(to: { origin: WebElement }): Actions;
    scroll(x: number, y: number, deltaX: number, deltaY: number, origin: WebElement): Actions;
    perform(): Promise<void>;
  }
  export interface WebDriver {
    get(url: string): Promise<void>;
    getTitle(): Promise<string>;
    getCurrentUrl(): Promise<string>;
    wait(condition: ElementCondition, timeoutMs: number): WebElementPromise;
    wait(condition: AlertCondition, timeoutMs: number): Promise<Alert>;
    wait(condition: Condition, timeoutMs: number): Promise<unknown>;
    switchTo(): {
      frame(element: WebElement): Promise<void>;
      defaultContent(): Promise<void>;
      window(handle: string): Promise<void>;
      newWindow(kind: 'tab'): Promise<void>;
    };
    getAllWindowHandles(): Promise<string[]>;
    actions(): Actions;
    manage(): {
      addCookie(cookie: { name: string; value: string }): Promise<void>;
      getCookie(name: string): Promise<{ value: string } | null>;
    };
    navigate(): { back(): Promise<void> };
    executeScript(script: string): Promise<unknown>;
    takeScreenshot(): Promise<string>;
    printPage(options: object): Promise<string>;
    close(): Promise<void>;
    quit(): Promise<void>;
  }
  export interface ElementCondition extends Condition {
    readonly gives: 'an element';
  }
  export interface AlertCondition extends Condition {
    readonly gives: 'an alert';
  }
  export const By: { css(selector: string): Locator };
  export const Key: { readonly ENTER: string };
  export const until: {
    elementLocated(by: Locator): ElementCondition;
    alertIsPresent(): AlertCondition;
    elementTextContains(element: WebElement, text: string): Condition;
  };
  export class Select {
    constructor(element: WebElement);
    selectByValue(value: string): Promise<void>;
  }
  export class Builder {
    forBrowser(name: 'chrome'): this;
    setChromeOptions(options: object): this;
    setChromeService(service: object): this;
    build(): Promise<WebDriver>;
  }
}

declare module 'selenium-webdriver/chrome.js' {
  export class Options {
    debuggerAddress(address: string): this;
  }
  export class ServiceBuilder {
    constructor(path: string);
    build(): object;
  }
}
