/** Timeout of a client's wait. The task or run continues after the timeout (companion C28). */
export interface WaitOptions {
  /** Timeout in milliseconds of the client's clock. */
  readonly timeoutMs?: number;
}

/** Thrown when a client's wait exceeds its timeout. */
export class WaitTimeout extends Error {}
