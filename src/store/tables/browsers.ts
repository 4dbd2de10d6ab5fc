import type { Generated, Insertable } from 'kysely';
import type { BrowserStatus } from '#generated/states.ts';
import type { Flag, TimeMs } from './values.ts';

/** A standalone browser, which runs until it is stopped. */
export interface BrowserTable {
  id: string;
  project_id: string;
  status: BrowserStatus;
  /** Hash of the token in its DevTools URL; see `queries/access-tokens.ts`. */
  cdp_hash: string;
  /** Hash of the token of its live view. */
  live_hash: string;
  /** Hash of the token of its view-only live view. */
  view_hash: string;
  /** The tokens, sealed; null until an earlier release's are sealed at the start. */
  sealed_tokens: string | null;
  proxy_country_code: string | null;
  profile_id: string | null;
  /** Length of one prepaid period. */
  timeout_minutes: number;
  screen_width: number | null;
  screen_height: number | null;
  /** A forward proxy of the caller, sealed; null for none, and as soon as the browser has ended. */
  custom_proxy: string | null;
  /** Whether its pages show PDF files, where the Chromium can. */
  shows_pdf: Generated<Flag>;
  /** Whether its clients may resize its window. */
  allows_resizing: Generated<Flag>;
  /** Labels of the caller, a JSON object of texts. */
  metadata: string;
  /** Id of the key that opened it; null for a browser of an earlier release. */
  key_id: Generated<string | null>;
  enable_recording: Generated<Flag>;
  proxy_bytes: number;
  /** Whether its bill is part of its project's total and stands from now on. */
  settled: Generated<Flag>;
  started_at: TimeMs;
  finished_at: TimeMs | null;
  /** Worker of its Chromium; null for none and in a single-process service. */
  owner: string | null;
  /** The public address of the worker that owns it, or owned it last. */
  owner_url: string | null;
}

/** A file that a standalone browser has downloaded; its bytes outlive the browser. */
export interface DownloadTable {
  id: string;
  browser_id: string;
  /** A plain name that no other download of the browser has. */
  path: string;
  size: number;
  blob_key: string;
  finished_at: TimeMs;
}

/** A video of a browser; its bytes outlive the browser. */
export interface RecordingTable {
  id: string;
  /** The session or standalone browser that it is of. */
  owner_id: string;
  /** The run that it shows; null for a recording of a browser, whatever runs worked in it. */
  run_id: string | null;
  /** `open` as long as it is recorded or stored, `none` when nothing was to be seen. */
  status: 'open' | 'ready' | 'none';
  /** Whether the next browser of its owner goes on with it. */
  goes_on: Flag;
  /** The process that makes it; null in a single-process service. */
  worker: string | null;
  /** Folder of that process in which the video grows. */
  folder: string | null;
  /** Blob with its bytes; null before they are stored. */
  blob_key: string | null;
  size: Generated<number>;
  duration_ms: Generated<number>;
  created_at: TimeMs;
  ended_at: TimeMs | null;
}

/** See {@link SessionInsert}. */
export type BrowserInsert = Insertable<BrowserTable>;
