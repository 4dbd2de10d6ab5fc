/** A Chromium that can be started. */
export interface ChromiumBinary {
  /** Absolute path of the real binary, never of a wrapper script. */
  readonly path: string;
  /** What the child needs in its environment beyond the usual, for example LD_LIBRARY_PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it was found; for the log. */
  readonly source: 'CHROMIUM_PATH' | 'installed' | 'bundled';
}
