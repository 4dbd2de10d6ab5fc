import type { LiveInput, LiveOrder, LiveScene } from '#contract/live-messages.ts';

/** A frame of a page. */
export interface LivePicture {
  readonly jpeg: Uint8Array;
  /** Size of the page in CSS pixels, which may differ from the size of the JPEG in pixels. */
  readonly width: number;
  readonly height: number;
}

/** A viewer of a browser. */
export interface LiveViewer {
  /** Receives the latest frame of the foreground tab at the start, and each further frame. */
  picture(picture: LivePicture): void;
  /**
   * Returns whether the viewer is ready for another frame. Chromium sends frames only while at least one viewer is
   * ready.
   */
  wantsPicture(): boolean;
  /** Receives the tabs and dialogs: their state at the start, and again after each change. */
  scene(scene: LiveScene): void;
  /**
   * Whether this viewer can answer dialogs. While such a viewer is connected, the service does not dismiss dialogs
   * itself.
   */
  readonly answersDialogs: boolean;
}

/** Actions of one connected viewer. Actions on a closed or unresponsive page have no effect. */
export interface LiveSeat {
  /** Reports that the viewer wants frames again. */
  wanted(): void;
  /** Sends an input to the foreground tab. */
  input(input: LiveInput): void;
  /**
   * Executes a viewer's order, such as `reload` or `copy`. Resolves to the selected text for `copy`, and to null for
   * other orders. Also resolves to null after `leave`, and for a `copy` while another is pending.
   */
  order(order: LiveOrder): Promise<string | null>;
  /** Disconnects the viewer and releases all keys and buttons that it holds down. Idempotent. */
  leave(): Promise<void>;
}
