/** Limits of a gateway; spec/rules/limits.yaml has the numbers (decision 11). */
export interface GatewayLimits {
  /** Maximum size of a client message, in bytes. */
  readonly messageBytesMax: number;
  /**
   * Maximum size of a command whose params are parsed, in bytes. Larger commands are accepted for a few methods only,
   * and forwarded unparsed.
   */
  readonly commandBytesMax: number;
  /** Maximum number of values in a parsed command. */
  readonly commandValuesMax: number;
  /**
   * Maximum number of bytes that wait to be sent to one client; a client with more is disconnected. A single message
   * may be larger.
   */
  readonly backlogBytesMax: number;
  /**
   * Maximum number of buffered bytes for all clients of one browser together: bytes to be sent, and incomplete messages
   * that were received.
   */
  readonly browserBacklogBytesMax: number;
  /** Maximum nesting depth of params. */
  readonly nestingMax: number;
  /** Maximum number of pending commands per client. */
  readonly unansweredMax: number;
  /** Maximum number of messages of one client that are handled in one event-loop tick. */
  readonly turnMessagesMax: number;
  /**
   * Maximum number of bytes of one client that are handled in one event-loop tick. A single larger message is handled
   * too.
   */
  readonly turnBytesMax: number;
  /** Maximum number of clients per browser. */
  readonly clientsMax: number;
  /** Time between two pings, in milliseconds. */
  readonly pingIntervalMs: number;
  /** Number of consecutive unanswered pings after which a connection is closed. */
  readonly pingsUnansweredMax: number;
}
