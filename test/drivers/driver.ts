/**
 * What the script asks of an automation library: one tab at a time, elements by CSS selectors. Each library does it in the way
 * that its own documentation shows first.
 */
export interface Driver {
  /** Opens an address in the current tab and waits until it has loaded. */
  open(url: string): Promise<void>;
  title(): Promise<string>;
  url(): Promise<string>;
  click(selector: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  /** Chooses an option by its value. */
  select(selector: string, value: string): Promise<void>;
  /** Clicks what asks a question, answers it, and waits until the page goes on. */
  answerPrompt(selector: string, text: string): Promise<void>;
  /** Clicks in a frame; answers the text of another element of it afterwards. */
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
  /** Opens a tab, which is the current one from now on. */
  newTab(url: string): Promise<void>;
  /** Closes the current tab; the first one is the current one again. */
  closeTab(): Promise<void>;
  /** Closes everything that the library lets one close. */
  leave(): Promise<void>;
}

/** Connects to a browser; the current tab is the first one whose address starts so, of any address where none is named. */
export type Connect = (cdpUrl: string, startsWith?: string) => Promise<Driver>;
