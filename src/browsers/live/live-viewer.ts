import type { LiveInput, LiveOrder, LiveScene } from '#contract/live-messages.ts';

/** A frame of a page. */
export interface LivePicture {
  readonly jpeg: Uint8Array;
  /** Size of the page in CSS pixels, independent of the frame's own size. */
  readonly width: number;
  readonly height: number;
}

/** A viewer of a browser. */
export interface LiveViewer {
  /** Receives the last frame of the foreground tab at once, and further frames as the tab changes. */
  picture(picture: LivePicture): void;
  /** Returns whether another frame would be shown at once. Frames are requested only while a viewer returns true. */
  wantsPicture(): boolean;
  /** Receives the state besides frames (tabs, dialogs), at once and after each change. */
  scene(scene: LiveScene): void;
  /**
   * Whether this viewer can answer dialogs. While such a viewer is connected, the service does not dismiss dialogs
   * itself.
   */
  readonly answersDialogs: boolean;
}

/** Actions of a viewer. Actions on a closed or unresponsive page have no effect. */
export interface LiveSeat {
  /** Reports that the viewer wants frames again. */
  wanted(): void;
  /** Sends an input to the foreground tab. */
  input(input: LiveInput): void;
  /**
   * Executes an order; resolves to the selected text for `copy`, else null. Also null for `copy` while another copy is
   * pending, and after `leave`.
   */
  order(order: LiveOrder): Promise<string | null>;
  /** Leaves and releases all held keys and buttons. Idempotent. */
  leave(): Promise<void>;
}
