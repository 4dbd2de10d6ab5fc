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
  /** Pings in a row without an answer after which a connection counts as dead. */
  readonly pingsUnansweredMax: number;
  /** Messages of one viewer that are handled before others have their turn. */
  readonly turnMessagesMax: number;
  /** Bytes of such messages; one message is handled whatever its size. */
  readonly turnBytesMax: number;
}
