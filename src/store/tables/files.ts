import type { Insertable } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** A workspace: stored files that outlive the sessions that use them. All API versions share it. */
export interface WorkspaceTable {
  id: string;
  projectId: string;
  name: string | null;
  createdAt: TimeMs;
  updatedAt: TimeMs;
  /** Time of its deletion, or null. */
  archivedAt: TimeMs | null;
  /**
   * The session or browser that owns the workspace; its end removes the workspace, and no operation shows it. Null for
   * any other workspace.
   */
  ownerId: string | null;
}

/** A file of a workspace, or an upload that may become one; a path belongs to at most one stored file. */
export interface FileTable {
  id: string;
  workspaceId: string;
  path: string;
  contentType: string;
  size: number;
  /** Whether it may replace a stored file of its path. */
  mayOverride: Flag;
  /** Expiry of its upload URL; also the deadline of an upload that began in time. */
  openUntil: TimeMs;
  /** Blob with its bytes; null before the upload is complete. */
  blobKey: string | null;
  /** Time at which its bytes were complete, or null. */
  storedAt: TimeMs | null;
  /** The run whose agent wrote it or whose browser downloaded it, or null. */
  runId: string | null;
}

/**
 * An upload that is attached to a run or to a queued message, with a copy of its metadata at that time. An upload can
 * be attached only once.
 */
export interface AttachmentTable {
  fileId: string;
  /** The run; null while its message is queued. */
  runId: string | null;
  /** Message that named the upload, or null. */
  messageId: number | null;
  name: string;
  path: string;
  contentType: string;
  size: number;
  /** Whether its bytes have arrived; stays true after the file is removed. */
  uploaded: Flag;
  /** Position in the request, from 0. */
  position: number;
}

/** Columns of a new workspace; columns with a default may be absent. */
export type WorkspaceInsert = Insertable<WorkspaceTable>;
