import type { HostLog } from '../host-log.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { DownloadRules, FinishedDownload } from './download-rules.ts';

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
