import type { LiveMode } from '#contract/live-messages.ts';
import type { LiveSeat, LiveViewer } from '../host.ts';

/** One viewer's place before one browser. */
export interface LiveView {
  readonly seat: LiveSeat;
  /** Settles when the browser has ended. */
  readonly ended: Promise<unknown>;
}

/** What a token of the live view opens. */
export interface LiveDoor {
  /** What is watched, whichever token opened it: its viewers are counted together. */
  readonly key: string;
  readonly kind: 'session' | 'browser';
  readonly mode: LiveMode;
  /** The path at which the same can be watched only; null for whoever may not hand it on. */
  readonly viewOnlyPath: string | null;
  readonly answersDialogs: boolean;
  /** Joins a viewer; null when there is no browser now. */
  watch(viewer: LiveViewer): Promise<LiveView | null>;
}
