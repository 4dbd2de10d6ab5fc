/** The saved state that a browser starts from, and the function that saves its final state. */
export interface BrowserProfile {
  /** Names the profile in the browser's folder, so that a later service can keep what a killed one could not. */
  readonly id: string;
  /** Files of a state may have so many bytes together; what is larger is not kept. */
  readonly bytesMax: number;
  /** Files that a state may consist of. */
  readonly filesMax: number;
  /** The archive that was kept last, or null for a profile that has none. The bytes are proven only when they end. */
  load(): Promise<AsyncIterable<Uint8Array> | null>;
  /** Takes the state of the browser after its end; settles when it is durable. */
  keep(state: BrowserState): Promise<void>;
}

/** The state of a browser that has ended, as an archive of its user data. */
export interface BrowserState {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How many bytes there are. */
  readonly size: number;
  /** Hosts that its cookies belong to, each once, in order; null where they are not known, after a crash. */
  readonly cookieDomains: readonly string[] | null;
}
