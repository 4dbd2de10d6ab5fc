import type { LiveMode } from '#contract/live-messages.ts';
import type { LiveSeat, LiveViewer } from '../host.ts';

/** A connected viewer of the live view of one browser. */
export interface LiveView {
  readonly seat: LiveSeat;
  /** Resolves when the browser has ended. */
  readonly ended: Promise<unknown>;
}

/** Access that a token of the live view grants. */
export interface LiveAccess {
  /**
   * Id of the watched session or standalone browser. Viewers with different tokens for the same id are counted
   * together.
   */
  readonly key: string;
  readonly kind: 'session' | 'browser';
  readonly mode: LiveMode;
  /** Path of the view-only page, which this viewer may pass on to others; null if it may not. */
  readonly viewOnlyPath: string | null;
  readonly answersDialogs: boolean;
  /**
   * Connects a viewer to the browser; resolves to null while the session or standalone browser has no running browser.
   */
  watch(viewer: LiveViewer): Promise<LiveView | null>;
}

/** Limits of the live view; spec/rules/limits.yaml has the numbers (decision 29). */
export interface LiveLimits {
  /** Maximum size of a viewer's message, in bytes. */
  readonly messageBytesMax: number;
  /**
   * Maximum number of bytes that wait to be sent to one viewer; a viewer with more is disconnected. Frames are limited
   * by `unshownMax` instead.
   */
  readonly backlogBytesMax: number;
  /** Maximum number of unconfirmed frames per viewer. */
  readonly unshownMax: number;
  /** Maximum number of viewers per browser. */
  readonly viewersMax: number;
  /** Time between two keep-alive messages to each viewer, in milliseconds. */
  readonly aliveIntervalMs: number;
  /** Time between two pings, in milliseconds. */
  readonly pingIntervalMs: number;
  /** Number of consecutive unanswered pings after which a connection is closed. */
  readonly pingsUnansweredMax: number;
  /** Maximum number of messages of one viewer that are handled in one event-loop tick. */
  readonly turnMessagesMax: number;
  /**
   * Maximum number of bytes of one viewer that are handled in one event-loop tick. A single larger message is handled
   * too.
   */
  readonly turnBytesMax: number;
}
