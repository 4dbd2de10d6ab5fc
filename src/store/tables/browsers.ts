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
  /** The sealed tokens; null for a row of an earlier release, until the next start of the service seals them. */
  sealedTokens: string | null;
  proxyCountryCode: string | null;
  profileId: string | null;
  /** Length of one prepaid period. */
  timeoutMinutes: number;
  screenWidth: number | null;
  screenHeight: number | null;
  /** Forward proxy of the caller, sealed; null without one, and after the browser has ended. */
  customProxy: string | null;
  /** Whether its pages show PDF files, if the Chromium can show them. */
  showsPdf: Generated<Flag>;
  /** Whether its clients may resize its window. */
  allowsResizing: Generated<Flag>;
  /** Labels of the caller, a JSON object of texts. */
  metadata: string;
  /** Id of the key that opened it; null for a browser of an earlier release. */
  keyId: Generated<string | null>;
  enableRecording: Generated<Flag>;
  proxyBytes: number;
  /** Whether its bill is final and included in the total of its project. */
  settled: Generated<Flag>;
  startedAt: TimeMs;
  finishedAt: TimeMs | null;
  /** Worker that runs its Chromium; null without one, and in a single-process service. */
  owner: string | null;
  /** Public URL of the worker that owns it, or owned it last; null without one. */
  ownerUrl: string | null;
}

/** A file that a standalone browser has downloaded; its bytes outlive the browser. */
export interface DownloadTable {
  id: string;
  browserId: string;
  /** File name, unique among the downloads of the browser. */
  path: string;
  size: number;
  blobKey: string;
  finishedAt: TimeMs;
}

/** A video of a browser; its bytes outlive the browser. */
export interface RecordingTable {
  id: string;
  /** Session or standalone browser that the recording belongs to. */
  ownerId: string;
  /** Run that it shows; null for a recording of a browser, which may show several runs. */
  runId: string | null;
  /** `open` while it is recorded or stored; `none` when it has no picture. */
  status: 'open' | 'ready' | 'none';
  /** Whether the next browser of its owner continues it. */
  goesOn: Flag;
  /** Process that records it; null in a single-process service. */
  worker: string | null;
  /** Folder of that process in which the video grows; null in a single-process service. */
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
