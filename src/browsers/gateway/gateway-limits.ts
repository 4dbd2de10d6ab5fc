/** Bounds of a gateway; spec/rules/limits.yaml has the numbers (decision 11). */
export interface GatewayLimits {
  /** Largest message of a client, in bytes. */
  readonly messageBytesMax: number;
  /** Largest command whose params are read, in bytes; a larger one is passed on unread, and few methods have such. */
  readonly commandBytesMax: number;
  /** Values that a command that is read may have. */
  readonly commandValuesMax: number;
  /** Bytes that may wait for a client; a client for whom more would wait is disconnected, unless it is one message alone. */
  readonly backlogBytesMax: number;
  /** Bytes that may wait for all clients of one browser, and that they may have sent of unfinished messages. */
  readonly browserBacklogBytesMax: number;
  /** Levels that the params of a command may have. */
  readonly nestingMax: number;
  /** Commands of one client that may be without an answer. */
  readonly unansweredMax: number;
  /** Messages of one client that are handled before others have their turn. */
  readonly turnMessagesMax: number;
  /** Bytes of such messages; one message is handled whatever its size. */
  readonly turnBytesMax: number;
  /** Clients that one browser may have at the same time. */
  readonly clientsMax: number;
  /** Time between two pings, in milliseconds. */
  readonly pingIntervalMs: number;
  /** Pings in a row without an answer after which a connection counts as dead. */
  readonly pingsUnansweredMax: number;
}
