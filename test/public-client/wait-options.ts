/** Timeout of a client's wait; the awaited work continues without it (companion C28). */
export interface WaitOptions {
  /** Milliseconds of the client's time. */
  readonly timeoutMs?: number;
}

/** The client waited in vain. */
export class WaitTimeout extends Error {}
