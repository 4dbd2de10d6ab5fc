/*
 * Messages between a live view and its page over a websocket: JSON texts, and binary messages with pictures. A picture
 * has 4 bytes for its number, 2 bytes for the page's width and 2 for its height in CSS pixels (big endian), then a
 * JPEG. Both sides import this file; it holds types only.
 */

/** One tab of a browser. */
export interface LiveTab {
  readonly id: string;
  /** Title of the tab, at most 300 characters. */
  readonly title: string;
  /** URL of the tab, at most 2,000 characters. */
  readonly url: string;
}

/** A JavaScript dialog that blocks a page. */
export interface LiveDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  /** Text of the dialog, at most 2,000 characters. */
  readonly message: string;
  /** Default text of a prompt. */
  readonly suggestion: string;
}

/**
 * Reason why the picture does not change: the page has crashed, the tab is in the background, or the viewer is no
 * longer allowed to see the browser.
 */
export type LiveTrouble = 'crashed' | 'background' | 'hidden';

/** State of a browser that a live view shows besides the picture. */
export interface LiveScene {
  /** All tabs in order of their discovery. */
  readonly tabs: readonly LiveTab[];
  /** Id of the tab in view; null when the browser has no tab, and while the browser is hidden from the viewer. */
  readonly active: string | null;
  /** The open dialog of the tab in view; null without one. */
  readonly dialog: LiveDialog | null;
  readonly trouble: LiveTrouble | null;
  /** Whether a viewer may resize the browser window. */
  readonly canResize: boolean;
  /** True for a simulated browser, where input has no effect. */
  readonly isSimulated: boolean;
}

/** Permissions of a viewer. */
export type LiveMode = 'interactive' | 'view';

/** Messages from the live view to its page. */
export type LiveReport =
  | {
      readonly type: 'scene';
      readonly mode: LiveMode;
      /** Path of the view-only page of the same browser; null when the viewer must not share it. */
      readonly viewOnlyPath: string | null;
      readonly scene: LiveScene;
    }
  /** The browser has closed; the connection ends after this message. */
  | { readonly type: 'gone' }
  /** The selected text, in response to a copy command. */
  | { readonly type: 'copied'; readonly text: string }
  /** The message of the page was rejected, because only interactive viewers may send such a message. */
  | { readonly type: 'refused' }
  /** Keep-alive after a period without other messages. */
  | { readonly type: 'alive' };

/** A point of the page in CSS pixels, and the held modifier keys as a sum: 1 Alt, 2 Control, 4 Meta, 8 Shift. */
export interface LivePoint {
  readonly x: number;
  readonly y: number;
  readonly modifiers: number;
}

/** Input events of a viewer. */
export type LiveInput =
  | (LivePoint & {
      readonly type: 'mouse';
      readonly action: 'move' | 'down' | 'up';
      readonly button: 'none' | 'left' | 'middle' | 'right' | 'back' | 'forward';
      /** Sum of the held mouse buttons: 1 left, 2 right, 4 middle, 8 back, 16 forward. */
      readonly buttons: number;
      /** 1 for a click, 2 for a double click, 3 for a triple click; 0 for a move. */
      readonly clicks: number;
    })
  | (LivePoint & { readonly type: 'wheel'; readonly deltaX: number; readonly deltaY: number })
  | {
      readonly type: 'key';
      readonly action: 'down' | 'up';
      readonly key: string;
      readonly code: string;
      /** The legacy key code, which pages and editing commands still use. */
      readonly keyCode: number;
      readonly location: number;
      readonly isRepeat: boolean;
      readonly modifiers: number;
      /** Text that the key inserts; empty for keys without text. */
      readonly text: string;
    }
  | {
      readonly type: 'touch';
      readonly action: 'start' | 'move' | 'end' | 'cancel';
      /** Touch points that remain on the page after the event. */
      readonly points: readonly { readonly id: number; readonly x: number; readonly y: number }[];
      readonly modifiers: number;
    }
  /** Inserted text: a paste, or the result of an input method. */
  | { readonly type: 'text'; readonly text: string };

/** Browser commands of a viewer. */
export type LiveOrder =
  /** Asks for the selected text. */
  | { readonly type: 'copy' }
  /** Answers the open dialog of the tab in view. */
  | { readonly type: 'dialog'; readonly accept: boolean; readonly text: string }
  /** Brings a tab to the front. */
  | { readonly type: 'tab'; readonly id: string }
  /** Reloads the tab in view, for example after a crash. */
  | { readonly type: 'reload' }
  /** Navigates the tab in view one entry back in its history. */
  | { readonly type: 'back' }
  /** Navigates the tab in view to an http or https URL of at most 2,000 characters. */
  | { readonly type: 'navigate'; readonly url: string }
  /** Opens an empty tab in the foreground. */
  | { readonly type: 'newTab' }
  /** Resizes the page, in CSS pixels. */
  | { readonly type: 'resize'; readonly width: number; readonly height: number };

/** Messages from the page of a viewer to the service. View-only pages may send `ack` only. */
export type LiveWish =
  /** Confirms that the picture with this number has been shown. */
  { readonly type: 'ack'; readonly picture: number } | LiveInput | LiveOrder;
