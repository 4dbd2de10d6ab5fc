/** A table of a page: header cells and body rows as trimmed text. */
export interface PageTable {
  readonly caption: string | null;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A link of a page; `url` is absolute. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** A file to upload into a page. */
export interface FileToUpload {
  /** File name without a path. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/**
 * Error of a page, such as a missing element, a blocked request or a timeout. The message can be shown as the summary
 * of a step.
 */
export class TabError extends Error {
  override readonly name = 'TabError';
}

/**
 * Maximum length of a page outline in characters. A model reads such an outline in five parts. A longer outline would
 * cost too much time and memory.
 */
export const outlineMax = 200_000;

/** Contents of a page at one moment. */
export interface PageSnapshot {
  readonly url: string;
  readonly title: string;
  /**
   * Outline of the accessibility tree with frames and open shadow roots, one element per line, at most 200,000
   * characters. An interactive element has a reference, as in `button "Buy" [ref=e12]`. Values of password fields are
   * removed.
   */
  readonly outline: string;
}

/** Facts about an element that its role and accessible name do not show. */
export interface ElementFacts {
  /** URL of the document that contains the element, at most 2,000 characters. */
  readonly address: string;
  /** Tag, and type of a control, as in `input:email`. */
  readonly kind: string;
  /**
   * Where the element leads: the URL of a link, or the method, URL and field name of a control in a form. Null for
   * other elements. At most 2,000 characters.
   */
  readonly target: string | null;
}

/** Direction of scrolling. */
export type ScrollDirection = 'up' | 'down' | 'left' | 'right';

/**
 * Actions on elements of the latest snapshot, which are identified by references such as `e12`. The methods reject with
 * a {@link TabError}: at once for a removed element, after 5 s for an element that is covered, disabled or hidden.
 */
export interface TabElements {
  click(ref: string, count?: 1 | 2): Promise<void>;
  hover(ref: string): Promise<void>;
  /**
   * Replaces the value of a field. `isPlace` is called with the URL of the field's document, which may be that of a
   * frame; if it returns false, the method rejects.
   */
  type(ref: string, text: string, isPlace?: (address: string) => boolean): Promise<void>;
  /** Selects options of a list by their values or labels. */
  select(ref: string, options: readonly string[]): Promise<void>;
  check(ref: string, isChecked: boolean): Promise<void>;
  press(ref: string, key: string): Promise<void>;
  /**
   * Scrolls an element, or its nearest ancestor that can scroll in this direction, by `pages` times its visible height
   * or width. Scrolls the page if neither can, and for a null `ref`.
   */
  scroll(ref: string | null, direction: ScrollDirection, pages: number): Promise<void>;
  /**
   * Returns the visible text of an element, at most 100,000 characters. For a `select`, returns the labels of its
   * selected options, one per line. For a field without visible text, returns its value; for a password field, an empty
   * text.
   */
  text(ref: string): Promise<string>;
  /** Describes an element without acting on it. */
  describe(ref: string): Promise<ElementFacts>;
  /**
   * Uploads a file to a file input. For another element, clicks it and uploads the file to the file chooser that opens.
   */
  upload(ref: string, file: FileToUpload): Promise<void>;
  /** Clicks an element and waits until a download begins. Returns the file name that the page gives. */
  download(ref: string): Promise<string>;
}

/** A tab of the browser. */
export interface OpenTab {
  /** Position in the list of tabs, from 1. It changes when a tab closes or comes to the front. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly isFront: boolean;
}

/**
 * The tabs of a browser. All other methods of {@link Tab} work on the foreground tab. An unknown tab number rejects
 * with a {@link TabError}.
 */
export interface TabList {
  list(): Promise<OpenTab[]>;
  /** Brings a tab to the front. */
  show(number: number): Promise<void>;
  close(number: number): Promise<void>;
  /** Opens an empty tab in the foreground. */
  add(): Promise<void>;
}

/** A dialog that occurred, and its answer. */
export interface SeenDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  readonly message: string;
  readonly answer: 'accepted' | 'dismissed' | 'left to others';
}

/** Answer to a dialog. `text` is the input for a prompt, and unused for other dialogs. */
export interface DialogAnswer {
  readonly accept: boolean;
  readonly text: string;
}

/**
 * Dialogs of pages (alert, confirm, prompt, beforeunload). The service dismisses a dialog without an answer, unless a
 * DevTools client can answer it. It accepts beforeunload dialogs.
 */
export interface TabDialogs {
  /** Returns the dialogs since the last call, at most the latest 20. */
  seen(): Promise<SeenDialog[]>;
  /** Sets the answer for the next dialog; null removes an answer that was set before. */
  answerNext(answer: DialogAnswer | null): Promise<void>;
}

/**
 * Browser tab that an agent works with; methods use the foreground page. Each method rejects with a {@link TabError}
 * for a failure of the page: an unknown host, a missing element, a timeout of 15 s. After an abort of the task, it
 * rejects with the reason of the signal. Any other error is a bug.
 */
export interface Tab {
  /** Opens an http, https, data or about:blank URL and waits until the document is parsed. */
  open(url: string): Promise<void>;
  url(): Promise<string>;
  title(): Promise<string>;
  /** Returns the headings h1-h6 in document order. */
  headings(): Promise<string[]>;
  links(): Promise<PageLink[]>;
  tables(): Promise<PageTable[]>;
  /** Returns the visible text of the page, at most 100,000 characters. */
  text(): Promise<string>;
  /**
   * Clicks the visible element with this accessible name, else with this text. An exact match is preferred to a match
   * of a part. Rejects when several elements match.
   */
  click(name: string): Promise<void>;
  /**
   * Fills the field with this label, placeholder or name. `isPlace` is called with the URL of the page; if it returns
   * false, the method rejects with a {@link TabError}. Fills only the checked element, so that a page that is loaded
   * meanwhile receives nothing.
   */
  type(field: string, text: string, isPlace?: (address: string) => boolean): Promise<void>;
  /** Presses a key such as `Enter` on the focused element. */
  press(key: string): Promise<void>;
  /**
   * Uploads a file to the file input with this label or name. A null `field` selects the only file input of the page.
   */
  upload(field: string | null, file: FileToUpload): Promise<void>;
  /** Clicks the element with this name and waits until a download begins. Returns the file name that the page gives. */
  download(name: string): Promise<string>;
  /** Takes a snapshot of the foreground page. Element references of earlier snapshots may then be invalid. */
  snapshot(): Promise<PageSnapshot>;
  readonly elements: TabElements;
  readonly tabs: TabList;
  readonly dialogs: TabDialogs;
  /** Navigates to the previous page of the tab. Rejects with a {@link TabError} for the first page. */
  back(): Promise<void>;
  /**
   * Waits until a text is visible, or until it is hidden. Rejects with a {@link TabError} after `timeoutMs`, but after
   * 14,000 ms at the latest.
   */
  waitFor(text: string, state: 'visible' | 'hidden', timeoutMs: number): Promise<void>;
  /**
   * Takes a JPEG of the visible part of the foreground page. Draws a box with the reference around each element in
   * `marked`, at most 100 boxes. @defaultValue no boxes
   */
  screenshot(marked?: readonly string[]): Promise<Uint8Array>;
}

/**
 * Runs one step on a page. The signal aborts when the task is aborted, and when the step reaches its timeout. `what`
 * begins the error message.
 */
export type RunStep = <T>(what: string, step: (signal: AbortSignal) => Promise<T>) => Promise<T>;
