/** Loads the saved state of a browser and saves its final state. */
export interface BrowserProfile {
  /**
   * Id of the profile. The browser's folder records it, so that a later service can save the state of a browser whose
   * service was killed.
   */
  readonly id: string;
  /** Maximum total size of a state, in bytes; a larger state is not saved. */
  readonly bytesMax: number;
  /** Maximum number of files of a state. */
  readonly filesMax: number;
  /**
   * Returns the last saved archive, or null for a new profile. The bytes are verified only when they are read to the
   * end.
   */
  load(): Promise<AsyncIterable<Uint8Array> | null>;
  /** Saves the state of the browser after its end; resolves when the saved state is durable. */
  keep(state: BrowserState): Promise<void>;
}

/** State of an ended browser as an archive of its user data. */
export interface BrowserState {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Size in bytes. */
  readonly size: number;
  /** Hosts of the browser's cookies, sorted and unique; null when unknown, for example after a crash. */
  readonly cookieDomains: readonly string[] | null;
}
