import type { LiveMode } from '#contract/live-messages.ts';
import type { LiveSeat, LiveViewer } from '../host.ts';

/** One viewer's place before one browser. */
export interface LiveView {
  readonly seat: LiveSeat;
  /** Settles when the browser has ended. */
  readonly ended: Promise<unknown>;
}

/** What a token of the live view opens. */
export interface LiveAccess {
  /** What is watched, whichever token opened it: its viewers are counted together. */
  readonly key: string;
  readonly kind: 'session' | 'browser';
  readonly mode: LiveMode;
  /** Path of the view-only page; null for viewers who may not share it. */
  readonly viewOnlyPath: string | null;
  readonly answersDialogs: boolean;
  /** Joins a viewer; null when there is no browser now. */
  watch(viewer: LiveViewer): Promise<LiveView | null>;
}

/** Bounds of the live view; spec/rules/limits.yaml has the numbers (decision 29). */
export interface LiveLimits {
  /** Largest message of a viewer, in bytes. */
  readonly messageBytesMax: number;
  /** Bytes that may wait for a viewer before it is disconnected; pictures are bounded by their number. */
  readonly backlogBytesMax: number;
  /** Pictures that a viewer may be sent and not have shown. */
  readonly unshownMax: number;
  /** Viewers that one browser may have at the same time. */
  readonly viewersMax: number;
  /** Time between two signs of life, in milliseconds. */
  readonly aliveIntervalMs: number;
  /** Time between two pings, in milliseconds. */
  readonly pingIntervalMs: number;
  /** Consecutive unanswered pings after which a connection counts as dead. */
  readonly pingsUnansweredMax: number;
  /** Messages of one viewer that are handled before others have their turn. */
  readonly turnMessagesMax: number;
  /** Maximum of bytes per batch; at least one message is handled. */
  readonly turnBytesMax: number;
}
