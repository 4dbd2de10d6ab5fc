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
}
