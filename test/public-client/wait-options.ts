/** How long a client waits at most; what it waits for goes on without it (companion C28). */
export interface WaitOptions {
  /** Milliseconds of the client's time. */
  readonly timeoutMs?: number;
}

/** The client waited in vain. */
export class WaitTimeout extends Error {}
