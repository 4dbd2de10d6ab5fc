/**
 * Access to the saved browser state of one profile: loads the last saved state, and saves the state of an ended
 * browser.
 */
export interface BrowserProfile {
  /**
   * Id of the profile. The browser's folder contains this id too. If the service is killed, a later service can then
   * save the state of the browser.
   */
  readonly id: string;
  /** Maximum size of all files of a state together, in bytes; a larger state is not saved. */
  readonly bytesMax: number;
  /** Maximum number of files of a state. */
  readonly filesMax: number;
  /**
   * Returns the last saved archive, or null for a new profile. Damage to the archive is noticed only at the end of the
   * bytes.
   */
  load(): Promise<AsyncIterable<Uint8Array> | null>;
  /** Saves the state of an ended browser; resolves when the state is safely stored. */
  keep(state: BrowserState): Promise<void>;
}

/** State of an ended browser: an archive of its user data, and facts about it. */
export interface BrowserState {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Size in bytes. */
  readonly size: number;
  /** Hosts that have cookies in the browser, sorted and unique; null when unknown, for example after a crash. */
  readonly cookieDomains: readonly string[] | null;
}
