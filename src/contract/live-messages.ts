/*
 * What a live view and the page that shows it say to each other over a websocket: JSON texts, and pictures as binary messages.
 * A picture is 4 bytes of its number, 2 bytes of the width and 2 of the height of the page in CSS pixels (all big endian), and a
 * JPEG. Both sides read this file; nothing here does anything.
 */

/** One tab of a browser. */
export interface LiveTab {
  readonly id: string;
  /** At most 300 characters. */
  readonly title: string;
  /** At most 2,000 characters. */
  readonly url: string;
}

/** A dialog that a page shows and waits for. */
export interface LiveDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  /** At most 2,000 characters. */
  readonly message: string;
  /** What a prompt suggests. */
  readonly suggestion: string;
}

/** Why there is no picture that moves: the tab's page crashed, the tab is not in front, or nobody may see it. */
export type LiveTrouble = 'crashed' | 'background' | 'hidden';

/** What a browser shows, besides its picture. */
export interface LiveScene {
  /** All tabs, in the order in which they became known. */
  readonly tabs: readonly LiveTab[];
  /** The tab that is shown; null when there is none. */
  readonly active: string | null;
  /** The dialog of the tab that is shown. */
  readonly dialog: LiveDialog | null;
  readonly trouble: LiveTrouble | null;
  /** Whether a viewer may give the browser another size. */
  readonly canResize: boolean;
  /** True for a browser without a Chromium: nothing that is done to it has an effect. */
  readonly isSimulated: boolean;
}

/** What a viewer may do. */
export type LiveMode = 'interactive' | 'view';

/** What a live view tells its page. */
export type LiveReport =
  | {
      readonly type: 'scene';
      readonly mode: LiveMode;
      /** The path at which the same browser can be watched and not touched; null for whoever may not hand it on. */
      readonly viewOnlyPath: string | null;
      readonly scene: LiveScene;
    }
  /** There is no browser now; the connection ends after it. */
  | { readonly type: 'gone' }
  /** The text that was selected when a copy was asked for. */
  | { readonly type: 'copied'; readonly text: string }
  /** What was sent is for interactive viewers only, and had no effect. */
  | { readonly type: 'refused' }
  /** Nothing has happened for a while: the connection stands. */
  | { readonly type: 'alive' };

/** A point of the page in CSS pixels, and which modifier keys are held: 1 Alt, 2 Control, 4 Meta, 8 Shift, added up. */
export interface LivePoint {
  readonly x: number;
  readonly y: number;
  readonly modifiers: number;
}

/** What somebody does to the page. */
export type LiveInput =
  | (LivePoint & {
      readonly type: 'mouse';
      readonly action: 'move' | 'down' | 'up';
      readonly button: 'none' | 'left' | 'middle' | 'right' | 'back' | 'forward';
      /** Buttons that are held: 1 left, 2 right, 4 middle, 8 back, 16 forward, added up. */
      readonly buttons: number;
      /** 1 for a click, 2 for a double click, 3 for a triple one; 0 for a move. */
      readonly clicks: number;
    })
  | (LivePoint & { readonly type: 'wheel'; readonly deltaX: number; readonly deltaY: number })
  | {
      readonly type: 'key';
      readonly action: 'down' | 'up';
      readonly key: string;
      readonly code: string;
      /** The key's number of old, which pages and editing commands still go by. */
      readonly keyCode: number;
      readonly location: number;
      readonly isRepeat: boolean;
      readonly modifiers: number;
      /** What the key types; empty for one that types nothing. */
      readonly text: string;
    }
  | {
      readonly type: 'touch';
      readonly action: 'start' | 'move' | 'end' | 'cancel';
      /** The fingers that are on the page afterwards. */
      readonly points: readonly { readonly id: number; readonly x: number; readonly y: number }[];
      readonly modifiers: number;
    }
  /** Text that is put in at once: a paste, or what an input method has composed. */
  | { readonly type: 'text'; readonly text: string };

/** What somebody does to the browser around the page. */
export type LiveOrder =
  /** Asks for the selected text. */
  | { readonly type: 'copy' }
  /** Answers the dialog of the tab that is shown. */
  | { readonly type: 'dialog'; readonly accept: boolean; readonly text: string }
  /** Brings a tab to the front. */
  | { readonly type: 'tab'; readonly id: string }
  /** Loads the tab's page again, for example after a crash. */
  | { readonly type: 'reload' }
  /** Goes one entry back in the history of the tab that is shown. */
  | { readonly type: 'back' }
  /** Opens an address of http or https, at most 2,000 characters, in the tab that is shown. */
  | { readonly type: 'navigate'; readonly url: string }
  /** Opens an empty tab in front. */
  | { readonly type: 'newTab' }
  /** Gives the page another size, in CSS pixels. */
  | { readonly type: 'resize'; readonly width: number; readonly height: number };

/** What a page tells its live view; all but `ack` is for interactive viewers. */
export type LiveWish =
  /** The picture of this number has been shown. */
  { readonly type: 'ack'; readonly picture: number } | LiveInput | LiveOrder;
