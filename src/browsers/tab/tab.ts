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
 * A page failed: an element was not found, a request was blocked, or a timeout passed. The message is suitable for a
 * step summary.
 */
export class TabError extends Error {
  override readonly name = 'TabError';
}

/**
 * Maximum length of a page outline in characters: five parts as a model reads them. A longer outline costs too much
 * time and memory.
 */
export const OUTLINE_MAX = 200_000;

/** Contents of a page at one moment. */
export interface PageSnapshot {
  readonly url: string;
  readonly title: string;
  /**
   * Accessibility tree with frames and open shadow roots, one element per line, at most 200,000 characters. An
   * interactive element has a reference, as in `button "Buy" [ref=e12]`. Values of password fields are removed.
   */
  readonly outline: string;
}

/** Properties of an element that its accessible name and role do not show. */
export interface ElementFacts {
  /** URL of the document that contains the element, at most 2,000 characters. */
  readonly address: string;
  /** Tag, and type of a control, as in `input:email`. */
  readonly kind: string;
  /**
   * Target of the element: the URL of a link, or method, URL and field name of a control in a form. Null for other
   * elements. At most 2,000 characters.
   */
  readonly target: string | null;
}

/** Direction of scrolling. */
export type ScrollDirection = 'up' | 'down' | 'left' | 'right';

/**
 * Elements of the latest snapshot by their references, such as `e12`. Rejects with a {@link TabError}: at once for a
 * removed element, after 5 s for an element that is covered, disabled or hidden.
 */
export interface TabElements {
  click(ref: string, count?: 1 | 2): Promise<void>;
  hover(ref: string): Promise<void>;
  /**
   * Replaces the value of a field. `isPlace` restricts the documents that may receive the text: it is called with the
   * URL of the field's document, which may be the document of a frame.
   */
  type(ref: string, text: string, isPlace?: (address: string) => boolean): Promise<void>;
  /** Selects options of a list by their values or labels. */
  select(ref: string, options: readonly string[]): Promise<void>;
  check(ref: string, isChecked: boolean): Promise<void>;
  press(ref: string, key: string): Promise<void>;
  /** Scrolls the container of an element by `pages` times the container's height or width; null scrolls the page. */
  scroll(ref: string | null, direction: ScrollDirection, pages: number): Promise<void>;
  /**
   * Returns the visible text of an element, the labels of the selected options of a `select` (one per line), or the
   * value of a field without visible text; at most 100,000 characters. Empty for a password field.
   */
  text(ref: string): Promise<string>;
  /** Describes an element without acting on it. */
  describe(ref: string): Promise<ElementFacts>;
  /** Uploads a file to a file input, or to the file chooser that a click on the element opens. */
  upload(ref: string, file: FileToUpload): Promise<void>;
  /** Clicks the element and waits until a download begins; returns the file name given by the page. */
  download(ref: string): Promise<string>;
}

/** A tab of the browser. */
export interface OpenTab {
  /** Position in the list, from 1; changes when a tab closes or comes to the front. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly isFront: boolean;
}

/** The tabs of the browser. Steps work on the foreground tab. An unknown number rejects with a {@link TabError}. */
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

/** Answer to a dialog; `text` is the input for a prompt. */
export interface DialogAnswer {
  readonly accept: boolean;
  readonly text: string;
}

/**
 * Dialogs of pages (alert, confirm, prompt). A dialog without an answer is dismissed, unless a DevTools client can
 * answer it.
 */
export interface TabDialogs {
  /** Returns the latest 20 dialogs since the last call. */
  seen(): Promise<SeenDialog[]>;
  /** Sets the answer of the next dialog; null removes it. */
  answerNext(answer: DialogAnswer | null): Promise<void>;
}

/**
 * The page that an agent works on. Every method rejects with a {@link TabError} for failures of a page (unknown host,
 * missing element, timeout after 15 s), and with the reason of the task's signal after its abort. Any other error is a
 * bug.
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
  /** Clicks the link, button or other element whose accessible name, or else text, equals or contains the words. */
  click(name: string): Promise<void>;
  /**
   * Fills the field with that label, placeholder or name. `isPlace` is called with the URL of the page; if it returns
   * false, the method rejects with a {@link TabError}. Only the checked element is filled, so a page that is loaded in
   * between receives nothing.
   */
  type(field: string, text: string, isPlace?: (address: string) => boolean): Promise<void>;
  /** Presses a key such as `Enter` on the focused element. */
  press(key: string): Promise<void>;
  /** Uploads a file to the file input with that label or name; null selects the only file input of the page. */
  upload(field: string | null, file: FileToUpload): Promise<void>;
  /** Clicks an element by its name and waits until a download begins; returns the file name given by the page. */
  download(name: string): Promise<string>;
  /** Takes a snapshot of the foreground page; references of earlier snapshots may become invalid. */
  snapshot(): Promise<PageSnapshot>;
  readonly elements: TabElements;
  readonly tabs: TabList;
  readonly dialogs: TabDialogs;
  /** Navigates back; rejects with a {@link TabError} without an earlier page. */
  back(): Promise<void>;
  /** Waits until a text is visible or hidden; rejects with a {@link TabError} after `timeoutMs`, at most 14,000 ms. */
  waitFor(text: string, state: 'visible' | 'hidden', timeoutMs: number): Promise<void>;
  /**
   * Takes a JPEG of the visible part. Elements of the latest snapshot that `marked` names have a box with their
   * reference, at most 100 of them. @defaultValue none is marked
   */
  screenshot(marked?: readonly string[]): Promise<Uint8Array>;
}

/** Runs one step on a page. The signal of the step aborts when its task is aborted, and at the timeout of the step. */
export type RunStep = <T>(what: string, step: (signal: AbortSignal) => Promise<T>) => Promise<T>;
