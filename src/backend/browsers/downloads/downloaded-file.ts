/** A file that a page has downloaded. */
export interface DownloadedFile {
  /** The name that the page gives it, from outside: not safe as a file name. */
  readonly fileName: string;
  /** Bytes, as they are on the disk. */
  readonly size: number;
  /** The bytes; to be read while the taker works. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Who takes what pages download. */
export interface DownloadTaker {
  /** Bytes that one file may have; a download that grows over it is given up. */
  readonly bytesMax: number;
  /** Downloads that may be under way at the same time; further ones are given up. */
  readonly atOnceMax: number;
  /** Takes a file; it goes when this settles. */
  take(file: DownloadedFile): Promise<void>;
  /** Told of a download of which no file came: its name, and why. */
  refused(fileName: string, reason: string): void;
}

/** One taker at work. */
export interface DownloadWatch {
  /** Settles when nothing that has begun is under way any more; never rejects. */
  settled(): Promise<void>;
  /** Gives up what is under way and takes nothing more; settles when the taker has nothing left to do. */
  stop(): Promise<void>;
}
