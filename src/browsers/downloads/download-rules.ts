/** A file that a page has downloaded, complete. */
export interface FinishedDownload {
  /** The name that the page or its server gave it: any text, not safe as a path. */
  readonly name: string;
  /** Absolute path of its bytes, out of the browser's reach; it goes with the browser. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** What one browser may download in the life of its process; what goes beyond is cancelled and its bytes are removed. */
export interface DownloadRules {
  /** Bytes of one file. */
  readonly fileBytesMax: number;
  /** Bytes of all files together, finished or under way. */
  readonly bytesMax: number;
  readonly filesMax: number;
  /**
   * Takes each finished file as soon as it is there. Its bytes stay until this settles, also when the browser ends meanwhile,
   * and are removed then. @defaultValue files stay where they are until the browser ends
   */
  readonly keep?: (file: FinishedDownload) => Promise<void>;
}

/** For a browser whose launcher has no use for files. */
export const noDownloads: DownloadRules = { fileBytesMax: 0, bytesMax: 0, filesMax: 0 };
