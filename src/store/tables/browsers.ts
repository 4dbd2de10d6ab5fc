import type { Generated, Insertable } from 'kysely';
import type { BrowserStatus } from '#generated/states.ts';
import type { Flag, TimeMs } from './values.ts';

/** A standalone browser, which runs until it is stopped. */
export interface BrowserTable {
  id: string;
  projectId: string;
  status: BrowserStatus;
  /** Hash of the token in the DevTools URL of the browser; see `queries/access-tokens.ts`. */
  cdpHash: string;
  /** Hash of the token in the URL of the live view. */
  liveHash: string;
  /** Hash of the token in the URL of the view-only live view. */
  viewHash: string;
  /** The encrypted tokens; null for a row of an earlier release, until the next start of the service encrypts them. */
  sealedTokens: string | null;
  proxyCountryCode: string | null;
  profileId: string | null;
  /** Length of one prepaid period in minutes. */
  timeoutMinutes: number;
  screenWidth: number | null;
  screenHeight: number | null;
  /** Custom proxy of the caller, encrypted; null without one, and after the browser has ended. */
  customProxy: string | null;
  /** Whether pages of the browser show PDF files, if the Chromium can show them. */
  showsPdf: Generated<Flag>;
  /** Whether clients of the browser may resize its window. */
  allowsResizing: Generated<Flag>;
  /** Labels of the caller, a JSON object of texts. */
  metadata: string;
  /** Id of the API key or console login that created the browser; null for a browser of an earlier release. */
  keyId: Generated<string | null>;
  enableRecording: Generated<Flag>;
  proxyBytes: number;
  /** Whether the bill of the browser is final and included in the total of its project. */
  settled: Generated<Flag>;
  startedAt: TimeMs;
  finishedAt: TimeMs | null;
  /** Worker that runs the Chromium of the browser; null without one, and in a single-process service. */
  owner: string | null;
  /** Public URL of the current or last owner; null without one. */
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
  /** Run that the recording shows; null for a recording of a browser, which may show several runs. */
  runId: string | null;
  /**
   * `open` while the video is recorded or stored, `ready` once it is stored; `none` for an ended recording without a
   * stored video.
   */
  status: 'open' | 'ready' | 'none';
  /** Whether the next browser of the owner continues the recording. */
  goesOn: Flag;
  /** Process that makes the recording; null in a single-process service. */
  worker: string | null;
  /** Folder of that process in which the video grows; null in a single-process service. */
  folder: string | null;
  /** Blob with the bytes of the video; null before these bytes are stored. */
  blobKey: string | null;
  size: Generated<number>;
  durationMs: Generated<number>;
  createdAt: TimeMs;
  endedAt: TimeMs | null;
}

/** Columns of a new browser; columns that can be null or have a default may be absent. */
export type BrowserInsert = Insertable<BrowserTable>;
