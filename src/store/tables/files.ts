import type { Insertable } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** A place for files that outlives the sessions that use it; shared by every generation. */
export interface WorkspaceTable {
  id: string;
  project_id: string;
  name: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
  /** Time of its deletion, or null. */
  archived_at: TimeMs | null;
  /** The session or browser that owns it and is removed with it; no operation shows it. Null for all others. */
  owner_id: string | null;
}

/** A file of a workspace, or an upload that may become one; at most one stored file has a path. */
export interface FileTable {
  id: string;
  workspace_id: string;
  path: string;
  content_type: string;
  size: number;
  /** Whether it may replace a stored file of its path. */
  may_override: Flag;
  /** Expiry of its upload URL; also the deadline of an upload that began in time. */
  open_until: TimeMs;
  /** Blob with its bytes; null before the upload is complete. */
  blob_key: string | null;
  /** Time at which its bytes were complete, or null. */
  stored_at: TimeMs | null;
  /** The run whose agent wrote it or whose browser downloaded it, or null. */
  run_id: string | null;
}

/** An upload that was named for a run, as it was then; it belongs to that run alone. */
export interface AttachmentTable {
  file_id: string;
  /** The run, or null as long as its message waits. */
  run_id: string | null;
  /** The message that named it, or null. */
  message_id: number | null;
  name: string;
  path: string;
  content_type: string;
  size: number;
  /** Whether its bytes have come; also when the file was removed since. */
  uploaded: Flag;
  /** Position in the request, from 0. */
  position: number;
}

/** See {@link SessionInsert}. */
export type WorkspaceInsert = Insertable<WorkspaceTable>;
