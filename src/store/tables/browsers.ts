import type { Generated, Insertable } from 'kysely';
import type { BrowserStatus } from '#generated/states.ts';
import type { Flag, TimeMs } from './values.ts';

/** A standalone browser, which runs until it is stopped. */
export interface BrowserTable {
  id: string;
  projectId: string;
  status: BrowserStatus;
  /** Hash of the token in its DevTools URL; see `queries/access-tokens.ts`. */
  cdpHash: string;
  /** Hash of the token of its live view. */
  liveHash: string;
  /** Hash of the token of its view-only live view. */
  viewHash: string;
  /** The tokens, sealed; null until an earlier release's are sealed at the start. */
  sealedTokens: string | null;
  proxyCountryCode: string | null;
  profileId: string | null;
  /** Length of one prepaid period. */
  timeoutMinutes: number;
  screenWidth: number | null;
  screenHeight: number | null;
  /** A forward proxy of the caller, sealed; null for none, and as soon as the browser has ended. */
  customProxy: string | null;
  /** Whether its pages show PDF files, where the Chromium can. */
  showsPdf: Generated<Flag>;
  /** Whether its clients may resize its window. */
  allowsResizing: Generated<Flag>;
  /** Labels of the caller, a JSON object of texts. */
  metadata: string;
  /** Id of the key that opened it; null for a browser of an earlier release. */
  keyId: Generated<string | null>;
  enableRecording: Generated<Flag>;
  proxyBytes: number;
  /** Whether its bill is part of its project's total and stands from now on. */
  settled: Generated<Flag>;
  startedAt: TimeMs;
  finishedAt: TimeMs | null;
  /** Worker of its Chromium; null for none and in a single-process service. */
  owner: string | null;
  /** The public address of the worker that owns it, or owned it last. */
  ownerUrl: string | null;
}

/** A file that a standalone browser has downloaded; its bytes outlive the browser. */
export interface DownloadTable {
  id: string;
  browserId: string;
  /** A plain name that no other download of the browser has. */
  path: string;
  size: number;
  blobKey: string;
  finishedAt: TimeMs;
}

/** A video of a browser; its bytes outlive the browser. */
export interface RecordingTable {
  id: string;
  /** The session or standalone browser that it is of. */
  ownerId: string;
  /** The run that it shows; null for a recording of a browser, whatever runs worked in it. */
  runId: string | null;
  /** `open` as long as it is recorded or stored, `none` when nothing was to be seen. */
  status: 'open' | 'ready' | 'none';
  /** Whether the next browser of its owner goes on with it. */
  goesOn: Flag;
  /** The process that makes it; null in a single-process service. */
  worker: string | null;
  /** Folder of that process in which the video grows. */
  folder: string | null;
  /** Blob with its bytes; null before they are stored. */
  blobKey: string | null;
  size: Generated<number>;
  durationMs: Generated<number>;
  createdAt: TimeMs;
  endedAt: TimeMs | null;
}

/** Columns of a new browser; columns with a default may be absent. */
export type BrowserInsert = Insertable<BrowserTable>;
