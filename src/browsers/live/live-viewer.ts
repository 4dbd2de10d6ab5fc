import type { LiveInput, LiveOrder, LiveScene } from '#contract/live-messages.ts';

/** One picture of a page. */
export interface LivePicture {
  readonly jpeg: Uint8Array;
  /** Size of the page in CSS pixels, whatever the picture's own. */
  readonly width: number;
  readonly height: number;
}

/** A viewer of a browser. */
export interface LiveViewer {
  /** Receives the picture of the tab in front, now and whenever it changes. */
  picture(picture: LivePicture): void;
  /** Whether another picture would be shown at once; while no viewer wants one, none is made. */
  wantsPicture(): boolean;
  /** Receives what is shown besides the picture, now and whenever it changes. */
  scene(scene: LiveScene): void;
  /** Whether this viewer answers dialogs when no client drives the browser. */
  readonly answersDialogs: boolean;
}

/** What a viewer can do. What it does to a page that has gone, or does not answer, has no effect. */
export interface LiveSeat {
  /** To be called when a viewer that wanted no picture wants one again. */
  wanted(): void;
  /** Does to the tab in front what a person would do. */
  input(input: LiveInput): void;
  /** Answers the selected text for `copy`, else null. */
  order(order: LiveOrder): Promise<string | null>;
  /** Leaves; what it held down is let go. Idempotent. */
  leave(): Promise<void>;
}
