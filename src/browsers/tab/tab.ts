/** A table as a page shows it: header cells and body rows, as trimmed text. */
export interface PageTable {
  readonly caption: string | null;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A link as a page shows it; `url` is absolute. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** A file on its way into a page. */
export interface FileToUpload {
  /** One path part. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A page did not do what was asked: not found, refused, timed out. The message is fit for a step summary. */
export class TabError extends Error {
  override readonly name = 'TabError';
}

/** Characters of an outline: five parts as a model reads them. A longer one costs time and memory and is not read. */
export const OUTLINE_MAX = 200_000;

/** What a page shows at one moment. */
export interface PageSnapshot {
  readonly url: string;
  readonly title: string;
  /**
   * Its accessibility tree with frames and open shadow roots in it, an element a line, at most 200,000 characters. An element
   * that can be worked on carries a reference, as in `button "Buy" [ref=e12]`. What stands in password fields is left out.
   */
  readonly outline: string;
}

/** Which way to scroll. */
export type ScrollDirection = 'up' | 'down' | 'left' | 'right';

/**
 * The elements of the latest snapshot by their references, such as `e12`. A reference whose element has gone rejects at once
 * with a {@link TabError}; one that cannot be acted on (covered, disabled, hidden) after 5 s.
 */
export interface TabElements {
  click(ref: string, count?: 1 | 2): Promise<void>;
  hover(ref: string): Promise<void>;
  /**
   * Replaces what a field holds. With `isPlace` only where it accepts the address of the very document that the field is part
   * of, which may be a frame's.
   */
  type(ref: string, text: string, isPlace?: (address: string) => boolean): Promise<void>;
  /** Chooses options of a list by their values or labels. */
  select(ref: string, options: readonly string[]): Promise<void>;
  check(ref: string, isChecked: boolean): Promise<void>;
  press(ref: string, key: string): Promise<void>;
  /** Scrolls what holds the element by some heights or widths of it, null for the page. */
  scroll(ref: string | null, direction: ScrollDirection, pages: number): Promise<void>;
  /** Its visible text, what stands in it for a field; at most 100,000 characters. */
  text(ref: string): Promise<string>;
  /** Puts a file into a file input, or into the chooser that a click on the element opens. */
  upload(ref: string, file: FileToUpload): Promise<void>;
  /** Clicks it and waits until a download has begun; answers the name that the page gives the file. */
  download(ref: string): Promise<string>;
}

/** A tab of the browser. */
export interface OpenTab {
  /** Counts from 1 in the order of the list, and changes when one closes. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly isFront: boolean;
}

/** The tabs of the browser; the one in front is worked on. A number that there is not rejects with a {@link TabError}. */
export interface TabList {
  list(): Promise<OpenTab[]>;
  /** Brings a tab to the front. */
  show(number: number): Promise<void>;
  close(number: number): Promise<void>;
  /** Opens an empty tab in the foreground. */
  add(): Promise<void>;
}

/** A dialog that came up, and what it was answered with. */
export interface SeenDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  readonly message: string;
  readonly answer: 'accepted' | 'dismissed' | 'left to others';
}

/** How a dialog is answered; `text` is what is put into a prompt. */
export interface DialogAnswer {
  readonly accept: boolean;
  readonly text: string;
}

/** The dialogs that pages open (alert, confirm, prompt). One that nothing is said of is dismissed. */
export interface TabDialogs {
  /** Those that came up since the last call, the latest 20 of them. */
  seen(): Promise<SeenDialog[]>;
  /** How the next dialog is answered, null to dismiss it. */
  answerNext(answer: DialogAnswer | null): Promise<void>;
}

/**
 * The page an agent works on. Every method rejects with a {@link TabError} for what a page can do wrong
 * (unknown host, no such element, time-out after 15 s); anything else is a bug.
 */
export interface Tab {
  /** Opens an http, https, data or about:blank address and waits until the document is parsed. */
  open(url: string): Promise<void>;
  url(): Promise<string>;
  title(): Promise<string>;
  /** Headings h1-h6 in document order. */
  headings(): Promise<string[]>;
  links(): Promise<PageLink[]>;
  tables(): Promise<PageTable[]>;
  /** The visible text of the page, at most 100,000 characters. */
  text(): Promise<string>;
  /** Clicks the link, button or other element whose accessible name is, or else contains, the given words. */
  click(name: string): Promise<void>;
  /**
   * Fills the field whose label, placeholder or name matches. With `isPlace` only on a page whose address it accepts: judged for
   * the very document that the field is part of, so that no page can come in between.
   */
  type(field: string, text: string, isPlace?: (address: string) => boolean): Promise<void>;
  /** Presses a key such as `Enter` on the focused element. */
  press(key: string): Promise<void>;
  /** Puts a file into the file input whose label or name matches, null for the only one of the page. */
  upload(field: string | null, file: FileToUpload): Promise<void>;
  /** Clicks what is called so and waits until a download has begun; answers the name that the page gives the file. */
  download(name: string): Promise<string>;
  /** The page in front as it is now; references of earlier snapshots may hold no more. */
  snapshot(): Promise<PageSnapshot>;
  readonly elements: TabElements;
  readonly tabs: TabList;
  readonly dialogs: TabDialogs;
  /** Navigates back; rejects with a {@link TabError} without an earlier page. */
  back(): Promise<void>;
  /** Waits until a text is visible, or is not any more; rejects with a {@link TabError} after `timeoutMs`, at most 15,000. */
  waitFor(text: string, state: 'visible' | 'hidden', timeoutMs: number): Promise<void>;
  /** A JPEG of what is visible. */
  screenshot(): Promise<Uint8Array>;
}

/** Does one step on a page, which is given a signal that aborts with its task and when its time is over. */
export type RunStep = <T>(what: string, step: (signal: AbortSignal) => Promise<T>) => Promise<T>;
