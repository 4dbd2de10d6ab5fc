/** A file that a page has downloaded, as its taker gets it. */
export interface DownloadedFile {
  /** The name that the page gives it, from outside: not safe as a file name. */
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes; to be read while the taker works. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Who takes what pages download. */
export interface DownloadTaker {
  /** Takes a file; it goes when this settles. */
  take(file: DownloadedFile): Promise<void>;
  /** Told of a download of which no file came: its name, and why. */
  refused(fileName: string, reason: string): void;
}

/** One taker at work. */
export interface DownloadClaim {
  /** Settles when nothing that has begun since is under way any more; never rejects. */
  settled(): Promise<void>;
  /** Cancels what is under way, and from now on whatever begins. */
  cancel(): void;
  /** Does that and takes nothing more; settles when all of it is cancelled and the taker has nothing left to do. */
  stop(): Promise<void>;
}
