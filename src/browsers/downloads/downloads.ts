import { createReadStream } from 'node:fs';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';

/** A completed download. */
export interface FinishedDownload {
  /** Name given by the page or its server: untrusted, not safe as a path. */
  readonly name: string;
  /** Absolute path of the file, in a folder that the browser cannot access; removed with the browser. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Download limits of one browser process; downloads beyond them are cancelled and removed. */
export interface DownloadRules {
  /** Maximum size of one file, in bytes. */
  readonly fileBytesMax: number;
  /** Maximum size of all files of the browser together, finished or in progress, in bytes. */
  readonly bytesMax: number;
  readonly filesMax: number;
  /**
   * Receives each finished file that no {@link DownloadFollower} takes. The file exists until the promise settles, even
   * after the end of the browser.
   * @defaultValue files stay in place until the browser ends
   */
  readonly keep?: (file: FinishedDownload) => Promise<void>;
}

/** Rules of a browser without downloads. */
export const noDownloads: DownloadRules = { fileBytesMax: 0, bytesMax: 0, filesMax: 0 };

/** A downloaded file as passed to its receiver. */
export interface DownloadedFile {
  /** Name given by the page: untrusted, not safe as a file name. */
  readonly fileName: string;
  /** Size in bytes. */
  readonly size: number;
  /** The content, readable until the promise of `take` settles. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Receiver of a browser's downloads. */
export interface DownloadTaker {
  /** Takes a file; the file is removed when the promise settles. */
  take(file: DownloadedFile): Promise<void>;
  /** Called for a download that failed or was cancelled: with the name of its file and the reason. */
  refused(fileName: string, reason: string): void;
}

/** A registration that passes a browser's downloads to a receiver until it is stopped. */
export interface DownloadClaim {
  /**
   * Resolves when every download that began since the claim has been taken or refused. Downloads that are not complete
   * 30 s after the call are cancelled and count as refused. Never rejects.
   */
  settled(): Promise<void>;
  /** Cancels pending and all later downloads. */
  cancel(): void;
  /**
   * Cancels pending downloads and ends the registration; resolves when all cancellations and the taker's work are done.
   */
  stop(): Promise<void>;
}

/** Listener for download events. */
export interface DownloadFollower {
  /** Called when a download begins; `name` comes from the page and is untrusted. */
  began(id: string, name: string): void;
  /** Called with the reason when a download fails. */
  failed(id: string, reason: string): void;
  /**
   * Takes a completed file, which is removed when the promise resolves to true. False leaves the file to other
   * followers.
   */
  take(id: string, file: FinishedDownload): Promise<boolean>;
}

/** Folders and limits of one browser's downloads. */
export interface DownloadDeps {
  readonly mux: CdpMux;
  readonly folder: {
    /** Download folder of Chromium. */
    readonly downloads: string;
    /** Folder of finished files, outside of Chromium's reach. */
    readonly finished: string;
  };
  readonly rules: DownloadRules;
  readonly log: HostLog;
}

/** Yields the bytes of a file. The file is opened on the first read, so an unused iterator needs no closing. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Returns the download limits of a browser process (spec/rules/limits.yaml). */
export function downloadBounds(rules: RuleBook): Omit<DownloadRules, 'keep'> {
  return {
    fileBytesMax: getLimit(rules, 'downloadBytes'),
    bytesMax: getLimit(rules, 'browserDownloadBytes'),
    filesMax: getLimit(rules, 'browserDownloads'),
  };
}
