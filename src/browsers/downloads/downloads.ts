import { createReadStream } from 'node:fs';
import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';

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

/** Whoever wants to know of downloads as they happen. */
export interface DownloadFollower {
  /** One has begun; the name is from outside. */
  began(id: string, name: string): void;
  /** No file comes of it, and why. */
  failed(id: string, reason: string): void;
  /** Takes a complete file, whose bytes are removed afterwards; false leaves it to others. */
  take(id: string, file: FinishedDownload): Promise<boolean>;
}

/** Where the files of one browser are, and what it may download. */
export interface DownloadParts {
  readonly mux: CdpMux;
  readonly folder: {
    /** Chromium writes here. */
    readonly downloads: string;
    /** Finished files are moved here, out of Chromium's reach. */
    readonly finished: string;
  };
  readonly rules: DownloadRules;
  readonly log: HostLog;
}

/** The bytes of a file, which is opened when they are read and not before: nobody has to close what nobody wants. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** What one browser may download in the life of its process (spec/rules/limits.yaml). */
export function downloadBounds(rules: RuleBook): Omit<DownloadRules, 'keep'> {
  return {
    fileBytesMax: limitOf(rules, 'downloadBytes'),
    bytesMax: limitOf(rules, 'browserDownloadBytes'),
    filesMax: limitOf(rules, 'browserDownloads'),
  };
}
