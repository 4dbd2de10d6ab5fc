/** A file on its way into an archive. */
export interface PackedFile {
  /** Relative path with `/` between its parts. */
  readonly path: string;
  /** Exactly so many bytes are read. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A file on its way out of an archive: its bytes have to be read before the next file comes. */
export interface UnpackedFile {
  /** Relative path without `.` and `..`, with `/` between its parts. */
  readonly path: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}
