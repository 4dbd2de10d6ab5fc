/**
 * Timeout of a client that waits for a task or run. The service continues the task or run after the timeout (companion
 * C28).
 */
export interface WaitOptions {
  /** Timeout in milliseconds of the client's clock. */
  readonly timeoutMs?: number;
}

/** Thrown when a client's wait exceeds its timeout. */
export class WaitTimeout extends Error {}
