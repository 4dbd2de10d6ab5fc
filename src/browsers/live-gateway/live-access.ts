import type { LiveMode } from '#contract/live-messages.ts';
import type { LiveSeat, LiveViewer } from '../host.ts';

/** One viewer's connection to the live view of one browser. */
export interface LiveView {
  readonly seat: LiveSeat;
  /** Resolves when the browser has ended. */
  readonly ended: Promise<unknown>;
}

/** Access that a token of the live view grants. */
export interface LiveAccess {
  /** Id of the watched session or standalone browser. Viewers of all its tokens are counted together. */
  readonly key: string;
  readonly kind: 'session' | 'browser';
  readonly mode: LiveMode;
  /** Path of the view-only page; null for viewers that may not share it. */
  readonly viewOnlyPath: string | null;
  readonly answersDialogs: boolean;
  /** Connects a viewer; null while the session or standalone browser has no running browser. */
  watch(viewer: LiveViewer): Promise<LiveView | null>;
}

/** Limits of the live view; spec/rules/limits.yaml has the numbers (decision 29). */
export interface LiveLimits {
  /** Maximum size of a viewer's message, in bytes. */
  readonly messageBytesMax: number;
  /**
   * Maximum number of buffered bytes per viewer, beyond which the viewer is disconnected. Frames are limited by number.
   */
  readonly backlogBytesMax: number;
  /** Maximum number of unconfirmed frames per viewer. */
  readonly unshownMax: number;
  /** Maximum number of viewers per browser. */
  readonly viewersMax: number;
  /** Time between two keep-alive messages, in milliseconds. */
  readonly aliveIntervalMs: number;
  /** Time between two pings, in milliseconds. */
  readonly pingIntervalMs: number;
  /** Consecutive unanswered pings after which a connection counts as dead. */
  readonly pingsUnansweredMax: number;
  /** Maximum number of messages of one viewer per batch. */
  readonly turnMessagesMax: number;
  /** Maximum number of bytes per batch; at least one message is handled. */
  readonly turnBytesMax: number;
}
