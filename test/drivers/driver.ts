/**
 * Interface of an automation library for the test script: one tab at a time, elements by CSS selectors. Each library
 * is used as the first example of its documentation shows.
 */
export interface Driver {
  /** Opens a URL in the current tab and waits until it has loaded. */
  open(url: string): Promise<void>;
  title(): Promise<string>;
  url(): Promise<string>;
  click(selector: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  /** Chooses an option by its value. */
  select(selector: string, value: string): Promise<void>;
  /** Clicks an element that opens a prompt, answers the prompt, and waits until the page continues. */
  answerPrompt(selector: string, text: string): Promise<void>;
  /** Clicks an element in a frame. Then returns the text of the element `shown` of the same frame. */
  clickInFrame(frame: string, selector: string, shown: string): Promise<string>;
  /** Clicks an element of an open shadow root. */
  clickInShadow(host: string, selector: string): Promise<void>;
  /** Sets a file input to a file of the client's machine. */
  upload(selector: string, path: string): Promise<void>;
  /** Waits until an element shows a text. */
  waitForText(selector: string, text: string): Promise<void>;
  hover(selector: string): Promise<void>;
  /** Presses a named key in an element. */
  press(selector: string, key: 'Enter'): Promise<void>;
  scrollTo(selector: string): Promise<void>;
  setCookie(cookie: { readonly name: string; readonly value: string; readonly url: string }): Promise<void>;
  cookie(name: string): Promise<string | undefined>;
  evaluate(expression: string): Promise<unknown>;
  screenshot(): Promise<Buffer>;
  print(): Promise<Buffer>;
  back(): Promise<void>;
  /** Opens a tab, which becomes the current tab. */
  newTab(url: string): Promise<void>;
  /** Closes the current tab; the first tab becomes the current tab. */
  closeTab(): Promise<void>;
  /** Disconnects; Selenium also ends its driver process. */
  leave(): Promise<void>;
}

/**
 * Connects to a browser. The current tab is the first tab whose URL begins with `startsWith`, by default the first tab.
 */
export type Connect = (cdpUrl: string, startsWith?: string) => Promise<Driver>;
